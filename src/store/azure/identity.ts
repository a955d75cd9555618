import { createPrivateKey, type KeyObject, randomUUID, sign, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { badSetting } from "../cloud-config.ts";
import { type Http, type HttpRequest } from "../http.ts";
import { type Attempt, explainRefusal } from "../refusal.ts";
import { askJson, formOf, keepToken, readMounted, type Token, type Tokens, tokenOf } from "../token.ts";

/** As whom Azure is asked for tokens. */
export type AzureIdentity =
  | { readonly kind: "secret"; readonly tenant: string; readonly client: string; readonly secret: string }
  | {
      readonly kind: "certificate";
      readonly tenant: string;
      readonly client: string;
      readonly key: KeyObject;
      /** The application's own first, each in base64. */
      readonly chain: readonly string[];
      readonly sendChain: boolean;
    }
  | { readonly kind: "federated"; readonly tenant: string; readonly client: string; readonly file: string }
  | { readonly kind: "managed"; readonly client?: string };

/** Who we are: by what the credentials say, else by the pod's workload identity, else by the machine's. */
export function identityOf(values: ReadonlyMap<string, string>, env: NodeJS.ProcessEnv): AzureIdentity {
  const get = (name: string) => values.get(name) || undefined;
  const tenant = get("AZURE_TENANT_ID") ?? env["AZURE_TENANT_ID"];
  const client = get("AZURE_CLIENT_ID") ?? env["AZURE_CLIENT_ID"];
  const need = (what: string): { tenant: string; client: string } => {
    if (tenant && client) return { tenant, client };
    throw badSetting(
      `the credentials have ${what}, but lack ${tenant ? "AZURE_CLIENT_ID" : "AZURE_TENANT_ID"}`,
    );
  };
  const secret = get("AZURE_CLIENT_SECRET");
  if (secret !== undefined) return { kind: "secret", ...need("AZURE_CLIENT_SECRET"), secret };
  if (get("AZURE_CLIENT_CERTIFICATE") ?? get("AZURE_CLIENT_CERTIFICATE_PATH")) {
    return { kind: "certificate", ...need("a certificate"), ...certificateOf(get) };
  }
  const user = ["AZURE_USERNAME", "AZURE_PASSWORD"].find((name) => get(name) !== undefined);
  if (user !== undefined) {
    throw badSetting(`${user} of the credentials is not supported: use AZURE_CLIENT_SECRET or a certificate`);
  }
  const file = env["AZURE_FEDERATED_TOKEN_FILE"];
  if (file) return { kind: "federated", ...need("a federated token"), file };
  return { kind: "managed", ...(client && { client }) };
}

function certificateOf(get: (name: string) => string | undefined) {
  const path = get("AZURE_CLIENT_CERTIFICATE_PATH");
  const pem = get("AZURE_CLIENT_CERTIFICATE") ?? readPem(path ?? "");
  const passphrase = get("AZURE_CLIENT_CERTIFICATE_PASSWORD");
  const found = pem.match(/-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g) ?? [];
  try {
    return {
      key: createPrivateKey({ key: pem, ...(passphrase !== undefined && { passphrase }) }),
      chain: found.map((one) => new X509Certificate(one).raw.toString("base64")),
      sendChain: get("AZURE_CLIENT_SEND_CERTIFICATE_CHAIN")?.toLowerCase() === "true",
    };
  } catch {
    // The cause may quote the key.
    throw badSetting("the certificate of the credentials is no PEM with a private key and a certificate");
  }
}

function readPem(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw badSetting(`the file "${path}" of AZURE_CLIENT_CERTIFICATE_PATH cannot be read`);
  }
}

/** A certificate with its key and without a password, for programs that get their tokens themselves. */
export function openPem({
  key,
  chain,
}: Pick<Extract<AzureIdentity, { readonly kind: "certificate" }>, "key" | "chain">): string {
  const certificates = chain.map((one) => new X509Certificate(Buffer.from(one, "base64")).toString());
  return [key.export({ type: "pkcs8", format: "pem" }), ...certificates].join("\n");
}

/** Tokens for one of Azure's services. */
export function azureTokens(
  http: Http,
  identity: AzureIdentity,
  { login, audience, attempt }: { readonly login: URL; readonly audience: string; readonly attempt: Attempt },
  env: NodeJS.ProcessEnv = process.env,
): Tokens {
  return keepToken(async (signal) => {
    const request =
      identity.kind === "managed"
        ? ofMachine(identity.client, audience, env)
        : await ofApplication(identity, login, audience);
    if (identity.kind !== "managed") return ask(http, request, attempt, signal);
    return ask(http, request, attempt, signal).catch((cause: unknown) => {
      signal?.throwIfAborted();
      const message = `the machine's metadata server "${request.url.host}" gives no token`;
      throw explainRefusal({ name: "CredentialsProviderError", message }, attempt, cause);
    });
  });
}

async function ask(http: Http, request: HttpRequest, attempt: Attempt, signal?: AbortSignal): Promise<Token> {
  return tokenOf(await askJson(http, request, attempt, signal), Date.now());
}

async function ofApplication(
  identity: Exclude<AzureIdentity, { readonly kind: "managed" }>,
  login: URL,
  audience: string,
): Promise<HttpRequest> {
  const base = login.href.replace(/\/+$/, "");
  const url = new URL(`${base}/${encodeURIComponent(identity.tenant)}/oauth2/v2.0/token`);
  const common = {
    grant_type: "client_credentials",
    client_id: identity.client,
    scope: `${audience}/.default`,
  };
  if (identity.kind === "secret") {
    return { method: "POST", url, ...formOf({ ...common, client_secret: identity.secret }) };
  }
  const assertion =
    identity.kind === "certificate"
      ? assertionOf(identity, url)
      : (await readMounted(identity.file, "the token file AZURE_FEDERATED_TOKEN_FILE")).trim();
  const type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
  const form = formOf({ ...common, client_assertion_type: type, client_assertion: assertion });
  return { method: "POST", url, ...form };
}

function assertionOf(identity: Extract<AzureIdentity, { readonly kind: "certificate" }>, url: URL): string {
  const { client, key, chain, sendChain } = identity;
  const nowS = Math.floor(Date.now() / 1000);
  const first = new X509Certificate(Buffer.from(chain[0] ?? "", "base64"));
  const x5t = Buffer.from(first.fingerprint.replaceAll(":", ""), "hex").toString("base64url");
  const header = { alg: "RS256", typ: "JWT", x5t, ...(sendChain && { x5c: chain }) };
  const claims = { aud: url.href, iss: client, sub: client, jti: randomUUID(), nbf: nowS, exp: nowS + 600 };
  const text = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  return `${text}.${sign("sha256", Buffer.from(text), key).toString("base64url")}`;
}

function ofMachine(client: string | undefined, audience: string, env: NodeJS.ProcessEnv): HttpRequest {
  const host = env["AZURE_POD_IDENTITY_AUTHORITY_HOST"] || "http://169.254.169.254";
  const url = new URL("/metadata/identity/oauth2/token", host);
  url.searchParams.set("api-version", "2018-02-01");
  url.searchParams.set("resource", audience);
  if (client !== undefined) url.searchParams.set("client_id", client);
  return { method: "GET", url, headers: { metadata: "true" } };
}
