import { expect, test } from "vitest";
import { serviceAccountKey } from "../../../test/harness/gcs.ts";
import { gcsSettings } from "./config.ts";
import { parseGcsCredentials } from "./credentials.ts";

const bucket = "backups";

test.each<[Record<string, string>, NodeJS.ProcessEnv, string, string, string]>([
  [
    {},
    {},
    "https://storage.googleapis.com/storage/v1/",
    "https://storage.googleapis.com",
    "https://storage.googleapis.com/upload/storage/v1/",
  ],
  [
    { storeEndpoint: "https://storage-x.p.googleapis.com/storage/v1" },
    {},
    "https://storage-x.p.googleapis.com/storage/v1/",
    "https://storage.googleapis.com",
    "https://storage-x.p.googleapis.com/upload/storage/v1/",
  ],
  [
    { storeEndpoint: "http://127.0.0.1:1" },
    {},
    "http://127.0.0.1:1/storage/v1/",
    "http://127.0.0.1:1",
    "http://127.0.0.1:1/upload/storage/v1/",
  ],
  [
    { universeDomain: "cloud.example" },
    {},
    "https://storage.cloud.example/storage/v1/",
    "https://storage.cloud.example",
    "https://storage.cloud.example/upload/storage/v1/",
  ],
  [
    {},
    { STORAGE_EMULATOR_HOST: "127.0.0.1:2" },
    "http://127.0.0.1:2/storage/v1/",
    "http://127.0.0.1:2",
    "http://127.0.0.1:2/upload/storage/v1/",
  ],
])("gcsSettings() of %j and %j finds the addresses", (config, env, api, links, upload) => {
  const found = gcsSettings({ bucket, config }, env);
  expect([found.api.href, found.links, found.upload.href]).toEqual([api, links, upload]);
});

test.each<[string, Record<string, string>, string]>([
  ["My Bucket", {}, '"My Bucket" cannot be the name of a bucket'],
  [bucket, { region: "eu" }, 'unknown config key "region" of provider gcp'],
  [bucket, { storeEndpoint: "storage" }, 'config key "storeEndpoint" must be an http or https address'],
  [bucket, { universeDomain: "a b" }, 'config key "universeDomain" must be a domain'],
])("gcsSettings() refuses %j with %j in one sentence", (name, config, want) => {
  expect(() => gcsSettings({ bucket: name, config }, {})).toThrow(
    expect.objectContaining({ code: "STORE_CONFIG", retry: false, message: expect.stringContaining(want) }),
  );
});

test("parseGcsCredentials() reads the key of a service account", () => {
  expect(parseGcsCredentials(serviceAccountKey("https://oauth2.example/token"))).toMatchObject({
    type: "service_account",
    email: "backups@a-project.iam.gserviceaccount.com",
    keyId: "key-1",
  });
});

const external = {
  type: "external_account",
  audience: "//iam.googleapis.com/pools/p",
  subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
  token_url: "https://sts.googleapis.com/v1/token",
  credential_source: { file: "/var/run/token" },
};

test.each([
  [external, { file: "/var/run/token" }],
  [
    {
      ...external,
      credential_source: {
        url: "http://id/token",
        headers: { A: "b" },
        format: { type: "json", subject_token_field_name: "t" },
      },
    },
    { url: new URL("http://id/token"), headers: { A: "b" }, field: "t" },
  ],
])("parseGcsCredentials() reads the external account %#", (fields, source) => {
  expect(parseGcsCredentials(JSON.stringify(fields))).toMatchObject({ type: "external_account", source });
});

test.each([
  ["no JSON canary-4711", "the credentials are not the JSON of a service account or of an external account"],
  ["{}", "the credentials have no type"],
  ['{"type":"authorized_user"}', 'the credentials are of type "authorized_user"'],
  ['{"type":"service_account"}', 'the credentials lack the field "client_email"'],
  [
    '{"type":"service_account","client_email":"e","private_key":"canary-4711"}',
    '"private_key" of the credentials is no private key',
  ],
  [
    JSON.stringify({ ...external, credential_source: { environment_id: "aws1" } }),
    'credential_source with "environment_id" is not supported',
  ],
  [
    JSON.stringify({ ...external, credential_source: { executable: {} } }),
    'credential_source with "executable" is not supported',
  ],
  [
    JSON.stringify({ ...external, credential_source: { url: "nowhere" } }),
    'the field "url" of the credentials is no address',
  ],
])("parseGcsCredentials() of %s is refused in one sentence", (text, want) => {
  expect(() => parseGcsCredentials(text)).toThrow(
    expect.objectContaining({ code: "STORE_CONFIG", message: expect.stringContaining(want) }),
  );
  expect(() => parseGcsCredentials(text)).toThrow(
    expect.not.objectContaining({ message: expect.stringContaining("canary") }),
  );
});
