import { expect, test } from "vitest";
import { parseCredentials } from "./credentials.ts";

const file = `\uFEFF# a comment
[default]
aws_access_key_id = AAA
aws_secret_access_key=s/e+c=r==

[profile other]\r
; another
AWS_ACCESS_KEY_ID="BBB"\r
aws_secret_access_key = 'quoted'\r
aws_session_token = tok\r
`;

test.each([
  ["default", { accessKeyId: "AAA", secretAccessKey: "s/e+c=r==" }],
  ["other", { accessKeyId: "BBB", secretAccessKey: "quoted", sessionToken: "tok" }],
])("parseCredentials() reads the profile %s", (profile, want) => {
  expect(parseCredentials(file, profile)).toEqual(want);
});

test.each([
  ["no section at all", "aws_access_key_id=AAA\naws_secret_access_key=canary", 'no profile "default"'],
  ["another profile", "[x]\naws_secret_access_key=canary", 'no profile "default"'],
  ["no id", "[default]\naws_secret_access_key=canary", "lacks aws_access_key_id"],
  ["nothing in it", "[default]\n", "lacks aws_access_key_id and aws_secret_access_key"],
])("parseCredentials() refuses %s and keeps the secret to itself", (_name, text, want) => {
  let fault: unknown;
  try {
    parseCredentials(text);
  } catch (error) {
    fault = error;
  }
  expect(fault).toMatchObject({ code: "STORE_CONFIG", message: expect.stringContaining(want) });
  expect(String(fault)).not.toContain("canary");
});
