import { createPrivateKey, type KeyObject } from "node:crypto";
import { AppError } from "../../errors.ts";
import { badSetting } from "../cloud-config.ts";

/** The key of a service account. */
export interface ServiceAccountKey {
  readonly type: "service_account";
  readonly email: string;
  readonly key: KeyObject;
  readonly keyId?: string;
  readonly tokenUrl: URL;
}

/** Another provider of identities, whose tokens Google takes: workload identity federation. */
export interface ExternalAccount {
  readonly type: "external_account";
  readonly audience: string;
  readonly subjectTokenType: string;
  readonly tokenUrl: URL;
  readonly impersonationUrl?: URL;
  readonly source: TokenSource;
}

/** Where the other provider's token comes from; a field is named when it is JSON. */
type TokenSource = { readonly field?: string } & (
  | { readonly file: string }
  | { readonly url: URL; readonly headers: Readonly<Record<string, string>> }
);

/** What a credentials file of Google's can be. */
export type GcsCredentials = ServiceAccountKey | ExternalAccount;

type Fields = Readonly<Record<string, unknown>>;

/** Reads a credentials file of Google's; messages name its fields and never their values, but for the type. */
export function parseGcsCredentials(text: string): GcsCredentials {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    throw badSetting("the credentials are not the JSON of a service account or of an external account");
  }
  const fields = recordOf(root) ?? {};
  const { type } = fields;
  if (type === "service_account") return serviceAccount(fields);
  if (type === "external_account") return externalAccount(fields);
  const found = typeof type === "string" ? `are of type "${type.slice(0, 40)}"` : "have no type";
  throw badSetting(`the credentials ${found}; "service_account" and "external_account" are supported`);
}

function serviceAccount(fields: Fields): ServiceAccountKey {
  const email = word(fields, "client_email");
  const pem = word(fields, "private_key");
  const keyId = fields["private_key_id"];
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    // The cause may quote the key.
    throw badSetting('the field "private_key" of the credentials is no private key in PEM form');
  }
  return {
    type: "service_account",
    email,
    key,
    tokenUrl: address(fields, "token_uri", "https://oauth2.googleapis.com/token"),
    ...(typeof keyId === "string" && keyId !== "" && { keyId }),
  };
}

function externalAccount(fields: Fields): ExternalAccount {
  const impersonation = fields["service_account_impersonation_url"];
  return {
    type: "external_account",
    audience: word(fields, "audience"),
    subjectTokenType: word(fields, "subject_token_type"),
    tokenUrl: address(fields, "token_url", "https://sts.googleapis.com/v1/token"),
    source: sourceOf(recordOf(fields["credential_source"]) ?? {}),
    ...(impersonation !== undefined &&
      impersonation !== "" && { impersonationUrl: address(fields, "service_account_impersonation_url") }),
  };
}

function sourceOf(source: Fields): TokenSource {
  const refused = ["environment_id", "executable", "certificate"].find((key) => source[key] !== undefined);
  if (refused !== undefined) {
    throw badSetting(`credential_source with "${refused}" is not supported; "file" and "url" are supported`);
  }
  const format = recordOf(source["format"]) ?? {};
  const field = format["type"] === "json" ? { field: word(format, "subject_token_field_name") } : {};
  if (typeof source["file"] === "string") return { ...field, file: source["file"] };
  const headers = Object.entries(recordOf(source["headers"]) ?? {}).map(([name, value]) => [
    name,
    String(value),
  ]);
  return {
    ...field,
    url: address(source, "url"),
    headers: Object.fromEntries(headers) as Record<string, string>,
  };
}

/** The account whose tokens an external account gets, as the address of its tokens names it. */
export function impersonated(url: URL | undefined): string | undefined {
  return /\/serviceAccounts\/([^/:]+):generateAccessToken$/.exec(
    decodeURIComponent(url?.pathname ?? ""),
  )?.[1];
}

function word(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value === "string" && value !== "") return value;
  throw badSetting(`the credentials lack the field "${name}"`);
}

function address(fields: Fields, name: string, usual?: string): URL {
  const value = fields[name] === undefined && usual !== undefined ? usual : word(fields, name);
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return new URL(value);
  throw new AppError("STORE_CONFIG", `the field "${name}" of the credentials is no address`, {
    retry: false,
  });
}

function recordOf(value: unknown): Fields | undefined {
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  return isRecord ? (value as Fields) : undefined; // checked in the line before
}
