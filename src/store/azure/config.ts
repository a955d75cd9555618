import { addressOf, badSetting, type CloudSpec, knownKeys } from "../cloud-config.ts";
import { cloudOf, parseDotenv } from "./credentials.ts";
import { type AzureIdentity, identityOf } from "./identity.ts";

/** How blobs are asked for: with the account's key, with tokens, or with a key that the resource manager gives. */
export type AzureAccess =
  | { readonly by: "key"; readonly key: string }
  | { readonly by: "token"; readonly identity: AzureIdentity }
  | {
      readonly by: "listed-key";
      readonly identity: AzureIdentity;
      readonly subscription: string;
      readonly resourceGroup: string;
    };

/** An Azure location in the words of its store, checked. */
export interface AzureSettings {
  readonly account: string;
  readonly container: string;
  /** The address of the account's blobs, without a "/" at its end. */
  readonly endpoint: string;
  /** Whether that address was given, not made of the account's name. */
  readonly isOwnEndpoint: boolean;
  /** What follows `<account>.` in it. */
  readonly domain: string;
  readonly access: AzureAccess;
  readonly login: URL;
  readonly management: string;
  readonly blockBytes: number;
  readonly caCert?: string;
}

/** The keys of upstream's azure plugin; others are refused there too. */
const known = [
  "storageAccount",
  "storageAccountURI",
  "storageAccountKeyEnvVar",
  "useAAD",
  "resourceGroup",
  "subscriptionId",
  "activeDirectoryAuthorityURI",
  "blockSizeInBytes",
  "credentialsFile",
  "bucket",
  "prefix",
];

/** Checks a spec and turns it into settings; every refusal names the key and the value. */
export function azureSettings(spec: CloudSpec, env: NodeJS.ProcessEnv = process.env): AzureSettings {
  const { bucket: container, config, caCert } = spec;
  knownKeys("azure", config, known);
  const account = config["storageAccount"] ?? "";
  if (!/^[a-z0-9]{3,24}$/.test(account)) {
    const found = account === "" ? "is missing" : `"${account}" is not the name of a storage account`;
    throw badSetting(`config key "storageAccount" of provider azure ${found}`);
  }
  if (!/^(\$root|\$web|[a-z0-9](-?[a-z0-9]){2,62})$/.test(container)) {
    throw badSetting(`"${container}" cannot be the name of a container of Azure`);
  }
  const values = parseDotenv(spec.credentials ?? "");
  const cloud = cloudOf(values.get("AZURE_CLOUD_NAME"));
  const given = config["storageAccountURI"] || undefined;
  const endpoint =
    given === undefined ? `https://${account}.${cloud.blobs}` : addressOf("storageAccountURI", given).href;
  const login = config["activeDirectoryAuthorityURI"] || env["AZURE_AUTHORITY_HOST"] || cloud.login;
  return {
    account,
    container,
    endpoint: endpoint.replace(/\/+$/, ""),
    isOwnEndpoint: given !== undefined,
    domain: domainOf(account, new URL(endpoint)),
    access: accessOf(config, values, env),
    login: addressOf("activeDirectoryAuthorityURI", login),
    management: cloud.management,
    blockBytes: blockBytes(config["blockSizeInBytes"]),
    ...(caCert !== undefined && { caCert }),
  };
}

function accessOf(
  config: CloudSpec["config"],
  values: ReadonlyMap<string, string>,
  env: NodeJS.ProcessEnv,
): AzureAccess {
  const name = config["storageAccountKeyEnvVar"] || undefined;
  if (name !== undefined) {
    const key = values.get(name);
    if (!key) throw badSetting(`the credentials have no line "${name}", which storageAccountKeyEnvVar names`);
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(key))
      throw badSetting(`the line "${name}" of the credentials is not base64`);
    return { by: "key", key };
  }
  const identity = identityOf(values, env);
  if (isTrue(config["useAAD"])) return { by: "token", identity };
  const subscription = config["subscriptionId"] || values.get("AZURE_SUBSCRIPTION_ID");
  const resourceGroup = config["resourceGroup"] || values.get("AZURE_RESOURCE_GROUP");
  if (subscription && resourceGroup) return { by: "listed-key", identity, subscription, resourceGroup };
  const missing = subscription ? "resourceGroup" : "subscriptionId (or AZURE_SUBSCRIPTION_ID)";
  throw badSetting(
    `provider azure needs one of the config keys storageAccountKeyEnvVar or useAAD, or ${missing} to look up the account's key`,
  );
}

function isTrue(value: string | undefined): boolean {
  if (["true", "1", "t", "T", "TRUE", "True"].includes(value ?? "")) return true;
  if (["", "false", "0", "f", "F", "FALSE", "False"].includes(value ?? "")) return false;
  throw badSetting(`config key "useAAD" must be true or false, not "${value}"`);
}

/** Upstream's default is 1 MiB; larger blocks are fewer requests, and 50,000 of them are an object. */
function blockBytes(value: string | undefined): number {
  if (value === undefined || value === "") return 8 * 1024 * 1024;
  const bytes = Number(value);
  if (Number.isInteger(bytes) && bytes > 0 && bytes <= 104_857_600) return bytes;
  throw badSetting(`config key "blockSizeInBytes" must be a number from 1 to 104857600, not "${value}"`);
}

function domainOf(account: string, { host }: URL): string {
  return host.startsWith(`${account}.`) ? host.slice(account.length + 1) : host;
}
