import { describe, expect, test } from "vitest";
import { redactSecrets, secretForms } from "../../src/ports/redact-secrets.ts";

const secret = 'sk-"quo/ted"+=<0123456789>&abcdef';
const forms = secretForms([secret]);
const around = (before: string) => Buffer.from(`${before}KEY=${secret}\nNEXT=1`);
const wrapped = (text: string, width: number) => text.replace(new RegExp(`.{${width}}`, "g"), "$&\n");

const printed: Readonly<Record<string, string>> = {
  "as it is": `KEY=${secret}`,
  "in JSON": JSON.stringify({ key: secret }),
  "in an address": `?key=${encodeURIComponent(secret)}`,
  "in an address, in lowercase": `?key=${encodeURIComponent(secret).toLowerCase()}`,
  "in markup": "sk-&quot;quo/ted&quot;+=&lt;0123456789&gt;&amp;abcdef",
  "in base64, the first of three ways": around("").toString("base64"),
  "in base64, the second": around("A").toString("base64"),
  "in base64, the third": around("AB").toString("base64"),
  "in the base64 of addresses": around("").toString("base64url"),
  "in base64 in lines": wrapped(around("").toString("base64"), 20),
  "in base64 in lines, quoted": JSON.stringify(wrapped(around("").toString("base64"), 20)),
  "in digits": around("").toString("hex"),
  "in digits in lines": wrapped(around("").toString("hex"), 60),
  "in lines": wrapped(secret, 7),
  "turned round": Array.from(`KEY=${secret}`).toReversed().join(""),
};

describe("a secret", () => {
  test.each(Object.entries(printed))("is redacted when written %s", (_, text) => {
    const struck = redactSecrets(`before ${text} after`, forms);
    expect(struck).toMatch(/^before [\s\S]*\*\*\*[\s\S]* after$/);
    // No more than what an encoder mixes with the characters beside it is left.
    expect(struck.length).toBeLessThan(40 + text.length - secret.length);
  });

  test("that is short matches only itself, and is not assembled from two lines", () => {
    expect(secretForms(["abc"])).toEqual(["abc"]);
    expect(redactSecrets("a shor\nt one stays, a short one goes", ["short"])).toBe(
      "a shor\nt one stays, a *** one goes",
    );
  });

  test("of many lines is redacted wherever one of them occurs, but the common beginning of such keys is no secret", () => {
    const line = "MIIEpAIBAAKCAQEA0123456789abcdefghijklmn";
    const key = `-----BEGIN RSA PRIVATE KEY-----\n${line}\nend==\n-----END RSA PRIVATE KEY-----`;
    const text = `-----BEGIN RSA PRIVATE KEY-----\n${line}\nend`;
    expect(redactSecrets(text, secretForms([key]))).toBe("-----BEGIN RSA PRIVATE KEY-----\n***\nend");
  });

  test("is taken out of a text, and all else stays as it was", () => {
    expect(redactSecrets("one\r\ntwo \\n three\n", forms)).toBe("one\r\ntwo \\n three\n");
    expect(redactSecrets(`a\n${secret}\nb`, forms)).toBe("a\n***\nb");
  });
});
