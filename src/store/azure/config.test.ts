import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { selfSigned } from "../../../packages/wire/index.ts";
import { type AzureSettings, azureSettings } from "./config.ts";
import { openPem } from "./identity.ts";

const identity = "AZURE_TENANT_ID=t\nAZURE_CLIENT_ID=c\n";

function settings(
  config: Record<string, string>,
  credentials = "",
  env: NodeJS.ProcessEnv = {},
): AzureSettings {
  return azureSettings({ bucket: "backups", credentials, config: { storageAccount: "acc", ...config } }, env);
}

test.each([
  ["", "https://acc.blob.core.windows.net", "https://login.microsoftonline.com/"],
  [
    "AZURE_CLOUD_NAME=AzureChinaCloud",
    "https://acc.blob.core.chinacloudapi.cn",
    "https://login.chinacloudapi.cn/",
  ],
  [
    "AZURE_CLOUD_NAME=azureusgovernment",
    "https://acc.blob.core.usgovcloudapi.net",
    "https://login.microsoftonline.us/",
  ],
])("azureSettings() with %j finds the addresses of the cloud", (line, endpoint, login) => {
  const found = settings({ useAAD: "true" }, `${identity}AZURE_CLIENT_SECRET=s\n${line}\n`);
  expect(found).toMatchObject({ endpoint, isOwnEndpoint: false });
  expect(found.login.href).toBe(login);
});

test("azureSettings() takes the addresses that it is given", () => {
  const given = {
    storageAccountURI: "http://127.0.0.1:1/acc/",
    activeDirectoryAuthorityURI: "https://login.example",
  };
  const found = settings({ ...given, useAAD: "true" }, `${identity}AZURE_CLIENT_SECRET=s`);
  expect(found).toMatchObject({ endpoint: "http://127.0.0.1:1/acc", isOwnEndpoint: true });
  expect(found.login.href).toBe("https://login.example/");
});

const federated = { AZURE_FEDERATED_TOKEN_FILE: "/token", AZURE_TENANT_ID: "t", AZURE_CLIENT_ID: "c" };

test.each<[string, Record<string, string>, string, NodeJS.ProcessEnv, object]>([
  ["the account's key", { storageAccountKeyEnvVar: "K" }, "K='a2V5'", {}, { by: "key", key: "a2V5" }],
  [
    "a client secret",
    { useAAD: "true" },
    `${identity}AZURE_CLIENT_SECRET="s \\" t"\n`,
    federated,
    { by: "token", identity: { kind: "secret", tenant: "t", client: "c", secret: 's " t' } },
  ],
  [
    "workload identity",
    { useAAD: "true" },
    "",
    federated,
    { by: "token", identity: { kind: "federated", tenant: "t", client: "c", file: "/token" } },
  ],
  ["the machine's identity", { useAAD: "true" }, "", {}, { by: "token", identity: { kind: "managed" } }],
  [
    "a machine's identity among several",
    { useAAD: "1" },
    "AZURE_CLIENT_ID=c",
    {},
    { by: "token", identity: { kind: "managed", client: "c" } },
  ],
  [
    "a key that is looked up",
    { resourceGroup: "g" },
    `${identity}AZURE_CLIENT_SECRET=s\nAZURE_SUBSCRIPTION_ID=sub\nAZURE_RESOURCE_GROUP=other\n`,
    {},
    { by: "listed-key", subscription: "sub", resourceGroup: "g", identity: { kind: "secret" } },
  ],
])("azureSettings() opens the store with %s", (_name, config, credentials, env, want) => {
  expect(settings(config, credentials, env).access).toMatchObject(want);
});

test("a certificate is taken with its password, and given to programs without", () => {
  const { cert } = selfSigned("app", Date.now());
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const locked = privateKey.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "pw" });
  const text = `${locked.toString()}${cert}`.replaceAll("\n", "\\n");
  const lines = `${identity}AZURE_CLIENT_CERTIFICATE="${text}"\nAZURE_CLIENT_CERTIFICATE_PASSWORD=pw\n`;
  const { access } = settings({ useAAD: "true" }, lines);
  if (access.by !== "token" || access.identity.kind !== "certificate") throw new Error("no certificate");
  const pem = openPem(access.identity);
  expect(pem).toContain("-----BEGIN PRIVATE KEY-----");
  expect(pem).toContain("-----BEGIN CERTIFICATE-----");
});

test.each<[Record<string, string>, string, string]>([
  [{ storageAccount: "" }, "", 'config key "storageAccount" of provider azure is missing'],
  [{ storageAccount: "My.Account" }, "", '"My.Account" is not the name of a storage account'],
  [{ caBundle: "x" }, "", 'unknown config key "caBundle" of provider azure'],
  [{ storageAccountKeyEnvVar: "K" }, "OTHER=a", 'no line "K", which storageAccountKeyEnvVar names'],
  [{ storageAccountKeyEnvVar: "K" }, "K=not base64!", 'the line "K" of the credentials is not base64'],
  [{}, "", "subscriptionId (or AZURE_SUBSCRIPTION_ID) to look up the account's key"],
  [{ subscriptionId: "s" }, "", "or resourceGroup to look up the account's key"],
  [{ useAAD: "perhaps" }, "", 'config key "useAAD" must be true or false, not "perhaps"'],
  [{ useAAD: "true" }, "AZURE_CLIENT_SECRET=s\nAZURE_CLIENT_ID=c", "but lack AZURE_TENANT_ID"],
  [{ useAAD: "true" }, `${identity}AZURE_USERNAME=u`, "AZURE_USERNAME of the credentials is not supported"],
  [{ useAAD: "true" }, `${identity}AZURE_CLIENT_CERTIFICATE=x`, "no PEM with a private key"],
  [{ useAAD: "true" }, "AZURE_CLOUD_NAME=AzureGermanCloud", '"AzureGermanCloud" is none of Azure\'s clouds'],
  [{ useAAD: "true", blockSizeInBytes: "0" }, "", 'config key "blockSizeInBytes" must be a number'],
  [
    { useAAD: "true", storageAccountURI: "acc" },
    "",
    'config key "storageAccountURI" must be an http or https address',
  ],
])("azureSettings() refuses %j with %j in one sentence", (config, credentials, want) => {
  expect(() => settings(config, credentials)).toThrow(
    expect.objectContaining({ code: "STORE_CONFIG", retry: false, message: expect.stringContaining(want) }),
  );
});

test("azureSettings() refuses what is no container", () => {
  const config = { storageAccount: "acc", useAAD: "true" };
  expect(() => azureSettings({ bucket: "My_Backups", config }, {})).toThrow(
    '"My_Backups" cannot be the name',
  );
});
