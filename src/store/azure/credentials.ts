import { badSetting } from "../cloud-config.ts";

/** Reads the lines `NAME=value` of Azure's credentials; values may be quoted, over several lines too. */
export function parseDotenv(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const line =
    /^[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.]*)[ \t]*[=:][ \t]*("(?:\\[^]|[^"\\])*"|'[^']*'|[^\r\n]*)/gm;
  for (const [, name = "", raw = ""] of text.replace(/^\uFEFF/, "").matchAll(line)) {
    found.set(name, valueOf(raw));
  }
  return found;
}

function valueOf(raw: string): string {
  if (/^".*"$/s.test(raw)) {
    const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };
    return raw.slice(1, -1).replace(/\\([^])/g, (_, char: string) => escapes[char] ?? char);
  }
  if (/^'.*'$/s.test(raw)) return raw.slice(1, -1);
  return raw.replace(/\s+#.*$/, "").trim();
}

/** Addresses of one of Azure's clouds. */
export interface AzureCloud {
  /** What follows `<account>.` in the address of its blobs. */
  readonly blobs: string;
  readonly login: string;
  readonly management: string;
}

const publicCloud: AzureCloud = {
  blobs: "blob.core.windows.net",
  login: "https://login.microsoftonline.com",
  management: "https://management.azure.com",
};
const china: AzureCloud = {
  blobs: "blob.core.chinacloudapi.cn",
  login: "https://login.chinacloudapi.cn",
  management: "https://management.chinacloudapi.cn",
};
const government: AzureCloud = {
  blobs: "blob.core.usgovcloudapi.net",
  login: "https://login.microsoftonline.us",
  management: "https://management.usgovcloudapi.net",
};
const clouds: Readonly<Record<string, AzureCloud>> = {
  azurepubliccloud: publicCloud,
  azurecloud: publicCloud,
  azurechinacloud: china,
  azureusgovernmentcloud: government,
  azureusgovernment: government,
};

/** The cloud of this name, in any case; the public one without a name. */
export function cloudOf(name: string | undefined): AzureCloud {
  if (name === undefined || name === "") return publicCloud;
  const found = Object.hasOwn(clouds, name.toLowerCase()) ? clouds[name.toLowerCase()] : undefined;
  if (found === undefined) throw badSetting(`AZURE_CLOUD_NAME "${name}" is none of Azure's clouds`);
  return found;
}
