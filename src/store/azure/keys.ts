import { AppError } from "../../errors.ts";
import { Http } from "../http.ts";
import type { Attempt } from "../refusal.ts";
import { askJson } from "../token.ts";
import type { AzureAccess, AzureSettings } from "./config.ts";
import { azureTokens } from "./identity.ts";

/** The account's key as the resource manager gives it to our identity. */
export async function listedKey(
  http: Http,
  settings: AzureSettings,
  access: Extract<AzureAccess, { readonly by: "listed-key" }>,
  attempt: Attempt,
  signal?: AbortSignal,
): Promise<string> {
  const { account, login, management } = settings;
  const tokens = azureTokens(http, access.identity, { login, audience: management, attempt });
  const path = ["subscriptions", access.subscription, "resourceGroups", access.resourceGroup];
  const rest = ["providers", "Microsoft.Storage", "storageAccounts", account, "listKeys"];
  const url = new URL([...path, ...rest].map(encodeURIComponent).join("/"), `${management}/`);
  url.searchParams.set("api-version", "2023-01-01");
  const headers = { authorization: `Bearer ${await tokens.get(signal)}`, accept: "application/json" };
  const said = await askJson(http, { method: "POST", url, headers, body: "" }, attempt, signal);
  const keys = Array.isArray(said["keys"])
    ? (said["keys"] as readonly Partial<Record<string, string>>[])
    : [];
  const full = keys.find(({ permissions }) => permissions?.toLowerCase() === "full")?.["value"];
  if (full !== undefined) return full;
  throw new AppError("STORE_DENIED", `the storage account "${account}" has no key with all rights`);
}

/** The key of a location's account, for programs that can do nothing else; undefined where tokens are used. */
export async function accountKey(settings: AzureSettings, signal?: AbortSignal): Promise<string | undefined> {
  const { access, caCert, account } = settings;
  if (access.by === "key") return access.key;
  if (access.by === "token") return undefined;
  const attempt = { verb: "look up the key of", key: "", place: `storage account "${account}"` };
  return await listedKey(new Http({ caCert }), settings, access, attempt, signal);
}
