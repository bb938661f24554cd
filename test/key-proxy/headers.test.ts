import { expect, test } from "vitest";
import { headersBack, headersOut } from "../../src/key-proxy/headers.ts";

const key = { header: "x-api-key", value: "the real key" };

test.each(["authorization", "x-api-key", "x-goog-api-key", "cookie", "host", "forwarded", "x-forwarded-for"])(
  "the agent's %s does not reach the endpoint",
  (name) => {
    const sent = headersOut({ [name]: "leased", accept: "application/json" }, key);
    expect(Object.values(sent)).not.toContain("leased");
    expect(sent).toMatchObject({ accept: "application/json", "x-api-key": "the real key" });
  },
);

test("headers named by Connection stay on this hop", () => {
  expect(headersOut({ connection: "x-hop", "x-hop": "1", "x-kept": "2" }, key)).toEqual({
    "x-kept": "2",
    "accept-encoding": "identity",
    "x-api-key": "the real key",
  });
});

test("the agent gets no cookie, and no length of a body that was decompressed", () => {
  const headers = { "set-cookie": ["a=b"], "content-length": "9", "content-encoding": "gzip", etag: "1" };
  expect(headersBack(headers, true)).toEqual({ etag: "1" });
  expect(headersBack(headers, false)).toEqual({
    "content-length": "9",
    "content-encoding": "gzip",
    etag: "1",
  });
});
