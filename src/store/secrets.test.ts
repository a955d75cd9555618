import { expect, test } from "vitest";
import { credentialSecrets } from "./secrets.ts";

test.each([
  ["aws", "[default]\naws_secret_access_key=s", ["[default]\naws_secret_access_key=s"]],
  ["velero.io/azure", "AZURE_TENANT_ID=t\nAZURE_CLIENT_SECRET=s\nMY_KEY=k\n", ["s", "k"]],
  ["gcp", '{"type":"service_account","project_id":"p","private_key":"s"}', ["s"]],
  ["gcp", "no JSON, perhaps a key", ["no JSON, perhaps a key"]],
  ["another", "all", ["all"]],
  ["gcp", undefined, []],
])("credentialSecrets() of %s %j", (provider, credentials, want) => {
  expect(credentialSecrets(provider, credentials)).toEqual(want);
});
