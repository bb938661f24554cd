import { generateKeyPairSync } from "node:crypto";

/** The app's credentials. */
export interface AppKeys {
  readonly appId: number;
  readonly slug: string;
  readonly privateKey: string;
  /** Signs webhooks. */
  readonly secret: string;
  readonly installation: number;
}

export function makeAppKeys(): AppKeys {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return {
    appId: 12345,
    slug: "until-green-app",
    privateKey: privateKey.export({ type: "pkcs1", format: "pem" }).toString(),
    secret: "a-secret-of-webhooks",
    installation: 100,
  };
}
