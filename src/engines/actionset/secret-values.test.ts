import { expect, test } from "vitest";
import { Mask } from "../../kube/index.ts";
import { learnParams } from "./secret-values.ts";

const location = { type: "s3Compliant", bucket: "b", endpoint: "", prefix: "", region: "eu" };
const profile = (credential: object) => ({
  name: "p",
  location,
  skipSslVerify: false,
  credential: { type: "any", ...credential },
});
const secret = (value: string) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "s", namespace: "n" },
  data: { key: Buffer.from(value).toString("base64") },
});

test.each([
  ["Secrets of the action", { secrets: { db: secret("hunter22") } }],
  ["a key pair", { profile: profile({ keyPair: { id: "AKIAID", secret: "hunter22" } }) }],
  ["a Profile's Secret", { profile: profile({ secret: secret("hunter22") }) }],
  ["the password of a kopia server", { profile: profile({ kopiaServer: { password: "hunter22" } }) }],
  ["the object, where it is a Secret", { object: secret("hunter22") }],
])("learnParams() knows %s", (_what, given) => {
  const mask = new Mask();
  learnParams(mask, { object: {}, secrets: {}, profile: undefined, ...given } as never);
  expect(mask.text("it is hunter22")).toBe("it is ***");
});

test("learnParams() leaves other objects readable", () => {
  const mask = new Mask();
  learnParams(mask, {
    object: { kind: "ConfigMap", data: { a: "cGxhaW4=" } },
    secrets: {},
    profile: undefined,
  });
  expect(mask.text("plain cGxhaW4=")).toBe("plain cGxhaW4=");
});
