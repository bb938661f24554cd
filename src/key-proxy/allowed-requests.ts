import type { ProviderProtocol } from "./lease.ts";

interface Allowed {
  readonly methods: readonly string[];
  readonly path: RegExp;
}

const reading = ["GET", "HEAD"];
const asking = ["POST"];

/**
 * What a model is asked by, per wire; the path as the provider's documentation has it, below the endpoint's base. Files,
 * batches, keys and organizations of the account are none of an agent's business.
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

/** Whether a request is one by which a model is asked. `path` is without its query. */
export const isAllowed = (
  wire: ProviderProtocol,
  { method, path }: { readonly method: string; readonly path: string },
) => allowed[wire].some((one) => one.methods.includes(method) && one.path.test(path));
