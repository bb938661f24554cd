import { annotate, type Job, print } from "./job.ts";

/** Reads the output of a step line by line, and executes the commands in it like a runner. */
export interface LogReader {
  line(text: string): void;
  /** Set by the old `::set-output::` and `::save-state::`. */
  readonly outputs: Record<string, string>;
  readonly state: Record<string, string>;
}

export function readLog(job: Job): LogReader {
  const outputs: Record<string, string> = {};
  const state: Record<string, string> = {};
  let stoppedUntil: string | undefined;

  function obey({ name, properties, value }: Command): boolean {
    switch (name) {
      case "add-mask":
        for (const mask of [value, ...value.split(/\r?\n/)]) if (mask.trim() !== "") job.masks.add(mask);
        return true;
      case "stop-commands":
        stoppedUntil = value;
        return true;
      case "set-output":
        outputs[properties["name"] ?? ""] = value;
        return true;
      case "save-state":
        state[properties["name"] ?? ""] = value;
        return true;
      case "error":
      case "warning":
      case "notice":
        annotate(job, { ...properties, level: name, message: value });
        return true;
      case "set-env":
      case "add-path":
        annotate(job, { level: "error", message: `The \`${name}\` command is disabled.` });
        return true;
      case "debug":
      case "add-matcher":
      case "remove-matcher":
        return true;
      default:
        return false;
    }
  }

  return {
    outputs,
    state,
    line(text) {
      const command = commandIn(text);
      if (stoppedUntil !== undefined) {
        if (command?.name === stoppedUntil) stoppedUntil = undefined;
        else print(job, text);
      } else if (command === undefined || !obey(command)) print(job, text);
    },
  };
}

interface Command {
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly value: string;
}

/** `::name key=value,…::text` at the start of a line, or the old `##[name key=value;…]text` anywhere in it. */
export function commandIn(line: string): Command | undefined {
  const [, name, properties = "", value = ""] = /^[\s\u0085]*::([^\s:]+)(?: (.*?))?::(.*)$/s.exec(line) ?? [];
  if (name !== undefined)
    return { name: name.trim(), properties: pairs(properties, ","), value: unescaped(value) };
  const [, old, oldProperties = "", text = ""] = /##\[([^\s\]]+)(?: ([^\]]*))?\](.*)$/s.exec(line) ?? [];
  if (old === undefined) return undefined;
  return { name: old, properties: pairs(oldProperties, ";"), value: unescaped(text) };
}

function pairs(text: string, separator: string): Record<string, string> {
  const parts = text.split(separator).filter((part) => part.includes("="));
  return Object.fromEntries(
    parts.map((part) => {
      const at = part.indexOf("=");
      return [part.slice(0, at).trim(), unescaped(part.slice(at + 1))];
    }),
  );
}

const escapes: Readonly<Record<string, string>> = {
  "%0D": "\r",
  "%0A": "\n",
  "%3A": ":",
  "%2C": ",",
  "%25": "%",
};

const unescaped = (text: string) => text.replace(/%(?:0D|0A|3A|2C|25)/g, (code) => escapes[code] ?? code);
