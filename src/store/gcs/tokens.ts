import { sign } from "node:crypto";
import { AppError } from "../../errors.ts";
import { badSetting } from "../cloud-config.ts";
import { type Http, readText } from "../http.ts";
import { type Attempt, explainRefusal, networkRefusal } from "../refusal.ts";
import { askJson, formOf, keepToken, readMounted, type Token, type Tokens, tokenOf } from "../token.ts";
import type { GcsSettings } from "./config.ts";
import { type ExternalAccount, impersonated, type ServiceAccountKey } from "./credentials.ts";

const storageScope = "https://www.googleapis.com/auth/devstorage.read_write";
/** Other providers' identities are exchanged for one that may also sign; what it may do is up to its roles. */
const platformScope = "https://www.googleapis.com/auth/cloud-platform";

/** Signs what an address is made of, in somebody's name. */
export interface Signer {
  readonly email: string;
  sign(text: string, signal?: AbortSignal): Promise<Buffer>;
}

/** Tokens for a store: of a key, of another provider's identity, or of the machine it runs on. */
export function gcsTokens(
  http: Http,
  { credentials }: Pick<GcsSettings, "credentials">,
  attempt: Attempt,
  env: NodeJS.ProcessEnv = process.env,
): Tokens {
  if (credentials?.type === "service_account") {
    return keepToken((signal) => ofKey(http, credentials, attempt, signal));
  }
  if (credentials?.type === "external_account") {
    return keepToken((signal) => ofOther(http, credentials, attempt, signal));
  }
  return keepToken((signal) => ofMachine(http, attempt, env, signal));
}

/** Who signs addresses; undefined when nobody can. */
export function gcsSigner(
  http: Http,
  settings: GcsSettings,
  tokens: Tokens,
  attempt: Attempt,
): Signer | undefined {
  const { credentials, serviceAccount, universe } = settings;
  if (credentials?.type === "service_account") {
    const { email, key } = credentials;
    return { email, sign: async (text) => sign("sha256", Buffer.from(text), key) };
  }
  const email = serviceAccount ?? impersonated(credentials?.impersonationUrl);
  if (email === undefined) return undefined;
  const url = new URL(
    `https://iamcredentials.${universe}/v1/projects/-/serviceAccounts/${encodeURIComponent(email)}:signBlob`,
  );
  return {
    email,
    async sign(text, signal) {
      const headers = { ...json, authorization: `Bearer ${await tokens.get(signal)}` };
      const body = JSON.stringify({ payload: Buffer.from(text).toString("base64") });
      const said = await askJson(http, { method: "POST", url, headers, body }, attempt, signal);
      const { signedBlob } = said;
      return Buffer.from(typeof signedBlob === "string" ? signedBlob : "", "base64");
    },
  };
}

const json = { "content-type": "application/json", accept: "application/json" };

async function ofKey(
  http: Http,
  { email, key, keyId, tokenUrl }: ServiceAccountKey,
  attempt: Attempt,
  signal?: AbortSignal,
): Promise<Token> {
  const nowS = Math.floor(Date.now() / 1000);
  const header = { alg: "RS256", typ: "JWT", ...(keyId !== undefined && { kid: keyId }) };
  const claims = { iss: email, scope: storageScope, aud: tokenUrl.href, iat: nowS, exp: nowS + 3600 };
  const text = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  const assertion = `${text}.${sign("sha256", Buffer.from(text), key).toString("base64url")}`;
  const grant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
  const request = { method: "POST", url: tokenUrl, ...formOf({ grant_type: grant, assertion }) } as const;
  return tokenOf(await askJson(http, request, attempt, signal), Date.now());
}

async function ofOther(
  http: Http,
  account: ExternalAccount,
  attempt: Attempt,
  signal?: AbortSignal,
): Promise<Token> {
  const form = formOf({
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
    audience: account.audience,
    scope: platformScope,
    subject_token_type: account.subjectTokenType,
    subject_token: await subjectToken(http, account, attempt, signal),
  });
  const exchanged = await askJson(http, { method: "POST", url: account.tokenUrl, ...form }, attempt, signal);
  const token = tokenOf(exchanged, Date.now());
  const { impersonationUrl: url } = account;
  if (url === undefined) return token;
  const headers = { ...json, authorization: `Bearer ${token.value}` };
  const body = JSON.stringify({ scope: [platformScope] });
  const said = await askJson(http, { method: "POST", url, headers, body }, attempt, signal);
  const expiresMs = Date.parse(String(said["expireTime"]));
  const lasts = Number.isFinite(expiresMs) ? (expiresMs - Date.now()) / 1000 : undefined;
  return tokenOf({ access_token: said["accessToken"], expires_in: lasts }, Date.now());
}

async function subjectToken(
  http: Http,
  { source }: ExternalAccount,
  attempt: Attempt,
  signal?: AbortSignal,
): Promise<string> {
  const text =
    "file" in source
      ? await readMounted(source.file, "the token file of the credentials")
      : await fetchText(http, source, attempt, signal);
  const { field } = source;
  if (field === undefined) return text.trim();
  try {
    const value: unknown = (JSON.parse(text) as Readonly<Record<string, unknown>> | null)?.[field];
    if (typeof value === "string") return value;
  } catch {
    // told below, without the text: it may be a token after all
  }
  throw badSetting(`the token of the credentials' source is no JSON with the field "${field}"`);
}

async function fetchText(
  http: Http,
  { url, headers }: { readonly url: URL; readonly headers: Readonly<Record<string, string>> },
  attempt: Attempt,
  signal?: AbortSignal,
): Promise<string> {
  const place = `${url.origin}, for ${attempt.place}`;
  try {
    const answer = await http.send({ method: "GET", url, headers }, signal);
    const text = await readText(answer, 1 << 20);
    if (answer.status === 200) return text;
    throw explainRefusal({ status: answer.status, name: "", message: "" }, { ...attempt, place });
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof AppError) throw error;
    throw explainRefusal(networkRefusal(error), { ...attempt, place });
  }
}

/** On Google's machines, and in pods with workload identity, the metadata server gives tokens. */
async function ofMachine(
  http: Http,
  attempt: Attempt,
  env: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<Token> {
  const host = env["GCE_METADATA_HOST"] || "metadata.google.internal";
  const url = new URL(`http://${host}/computeMetadata/v1/instance/service-accounts/default/token`);
  const request = { method: "GET", url, headers: { "metadata-flavor": "Google" } } as const;
  try {
    return tokenOf(await askJson(http, request, attempt, signal), Date.now());
  } catch (cause) {
    signal?.throwIfAborted();
    const refusal = { name: "", message: `the metadata server "${host}" gives no token` };
    throw explainRefusal({ ...refusal, name: "CredentialsProviderError" }, attempt, cause);
  }
}
