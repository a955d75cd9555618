import { parseDotenv } from "./azure/credentials.ts";
import { ownProvider } from "./location.ts";

/** Lines of Azure's credentials that everybody may read; names of accounts and tenants help in messages. */
const open = [
  "AZURE_CLIENT_CERTIFICATE_PATH",
  "AZURE_CLIENT_ID",
  "AZURE_CLOUD_NAME",
  "AZURE_RESOURCE_GROUP",
  "AZURE_SUBSCRIPTION_ID",
  "AZURE_TENANT_ID",
];
/** Fields of Google's credentials that nobody else may read. */
const closed = ["private_key", "private_key_id", "client_secret", "refresh_token"];

/** What of a location's credentials must not be in a message; all of it where its form is not known. */
export function credentialSecrets(provider: string, credentials: string | undefined): readonly string[] {
  if (credentials === undefined || credentials === "") return [];
  const own = ownProvider(provider);
  if (own === "azure") {
    return [...parseDotenv(credentials)].filter(([name]) => !open.includes(name)).map(([, value]) => value);
  }
  const fields = own === "gcp" ? fieldsOf(credentials) : undefined;
  if (fields === undefined) return [credentials];
  return closed.map((name) => fields[name]).filter((value) => typeof value === "string");
}

function fieldsOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined; // not what it should be: nothing of it is shown
  }
}
