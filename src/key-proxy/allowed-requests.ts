import type { ProviderProtocol } from "./lease.ts";

interface Allowed {
  readonly methods: readonly string[];
  readonly path: RegExp;
}

const reading = ["GET", "HEAD"];
const asking = ["POST"];

/**
 * The requests of each provider's API that an agent needs, with paths as in the provider's documentation, below the
 * endpoint's base. The account's files, batches, keys and organizations are off limits.
 */
const allowed: Readonly<Record<ProviderProtocol, readonly Allowed[]>> = {
  // docs.anthropic.com/en/api: messages, count tokens, models.
  anthropic: [
    { methods: asking, path: /^\/v1\/messages(\/count_tokens)?$/ },
    { methods: reading, path: /^\/v1\/models(\/[^/]+)?$/ },
  ],
  // platform.openai.com/docs/api-reference: responses (Codex compacts them), chat completions, models.
  openai: [
    { methods: asking, path: /^\/v1\/(responses(\/compact|\/input_tokens)?|chat\/completions)$/ },
    { methods: reading, path: /^\/v1\/models(\/.+)?$/ },
  ],
  // ai.google.dev/api: models and their methods.
  gemini: [
    {
      methods: asking,
      path: /^\/v1(beta|alpha)?\/models\/[^/]+:(generateContent|streamGenerateContent|countTokens)$/,
    },
    { methods: reading, path: /^\/v1(beta|alpha)?\/models(\/[^/]+)?$/ },
  ],
};

/** Whether an agent may send this request. `path` is without its query. */
export const isAllowed = (
  wire: ProviderProtocol,
  { method, path }: { readonly method: string; readonly path: string },
) => allowed[wire].some((one) => one.methods.includes(method) && one.path.test(path));
