import { expect, test } from "vitest";
import { headersBack, headersOut } from "../../src/key-proxy/headers.ts";

const key = { header: "x-api-key", value: "the real key" };

const names = [
  "authorization",
  "x-api-key",
  "x-goog-api-key",
  "cookie",
  "host",
  "forwarded",
  "x-forwarded-for",
];

// The real key stands in one of these: the agent's own must be gone from the others too.
test.each(["x-api-key", "x-goog-api-key", "authorization"])(
  "nothing that could be the agent's leased key reaches an endpoint that reads its key from %s",
  (header) => {
    for (const name of names) {
      const sent = headersOut({ [name]: "leased", accept: "application/json" }, { ...key, header });
      expect(sent).toEqual({
        accept: "application/json",
        "accept-encoding": "identity",
        [header]: "the real key",
      });
    }
  },
);

test.each([
  ...["x-http-method", "x-http-method-override", "x-method-override", "x-original-url", "x-rewrite-url"],
  ...["x-forwarded-proto", "x-forwarded-prefix", "x-real-ip", "via"],
  ...["x-portkey-custom-host", "x-portkey-config", "helicone-target-url", "helicone-openai-api-base"],
])("%s asks no endpoint for another method, path or host", (name) => {
  expect(headersOut({ [name]: "x", accept: "a" }, key)).not.toHaveProperty(name);
});

test.each([
  ...["keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer"],
  ...["transfer-encoding", "upgrade", "connection"],
])("%s concerns one connection only, in both directions", (name) => {
  expect(headersOut({ [name]: "x" }, key)).not.toHaveProperty(name);
  expect(headersBack({ [name]: "x" }, false)).toEqual({});
});

test("headers named by Connection stay on this hop", () => {
  const headers = { connection: "X-Hop , x-other", "x-hop": "1", "x-other": "1", "x-kept": "2" };
  expect(headersOut(headers, key)).toEqual({
    "x-kept": "2",
    "accept-encoding": "identity",
    "x-api-key": "the real key",
  });
});

test("the agent gets no cookie, and no length of a body that was decompressed", () => {
  const headers = {
    "set-cookie": ["a=b"],
    "alt-svc": "h3",
    "strict-transport-security": "x",
    "content-length": "9",
    "content-encoding": "gzip",
    etag: "1",
  };
  expect(headersBack(headers, true)).toEqual({ etag: "1" });
  expect(headersBack(headers, false)).toEqual({
    "content-length": "9",
    "content-encoding": "gzip",
    etag: "1",
  });
});
