import { choice, lines, link, permission } from "../field-schemas.ts";
import { input } from "../input.ts";

/** People. */
export const people = {
  comment: input(
    choice("auto", "sticky", "none"),
    "Whether to show the run in one comment on the pull request, `sticky` or `none`. `auto` shows it if the job belongs to a pull request.",
    { fallback: "auto" },
  ),
  notify: input(
    choice("mention", "none"),
    "How people are notified when a run waits for a decision. `mention` posts a short comment that mentions those who may decide, and minimizes it after the decision; `none` only updates the run's comment.",
    { fallback: "mention" },
  ),
  "notify-url": input(
    link,
    'The URL of an incoming webhook, from a secret. It gets `{"text": "…"}`, the format of Slack and others, for each decision that a run waits for.',
  ),
  "check-run": input(
    choice("auto", "true", "false"),
    "Whether to show the run as a check on the commit, `true` or `false`. `auto` shows it if the token has the permission.",
    { fallback: "auto" },
  ),
  "otlp-endpoint": input(
    link,
    "The endpoint that OpenTelemetry traces of the run are sent to (OTLP over HTTP), for example `http://collector.example.com:4318`; the path `/v1/traces` is added. Put its key into the variable `OTEL_EXPORTER_OTLP_HEADERS`, from a secret.",
  ),
  "required-permission": input(
    permission,
    "The repository permission required for commands in comments, `read`, `triage`, `write`, `maintain` or `admin`; default `write`.",
  ),
  "allow-users": input(
    lines,
    "Logins of people who may use commands in comments without that permission, one per line.",
  ),
  "allow-bot-users": input(
    lines,
    "Logins of bots that may use commands in comments, one per line; all others are ignored.",
  ),
} as const;
