import { type Backup, type BackupStorageLocation, kinds, type Restore } from "../api/index.ts";
import { AppError } from "../errors.ts";
import { type Client, resourceOf } from "../kube/index.ts";

/** How a server finds out whether a link is one of the location that keeps the backup. */
export interface LinkCheck {
  /** Reads backups and locations, with the server's own rights. */
  readonly client: Pick<Client, "get">;
  /** Where the operator of this process serves links; absent in another process, which knows their form only. */
  readonly downloads?: (() => string | undefined) | undefined;
}

/** Whose file a link leads to. */
export interface LinkTarget {
  readonly kind: string;
  /** The backup's or restore's name. */
  readonly name: string;
  readonly namespace: string;
}

/**
 * Refuses a link that does not lead to the backup's location.
 *
 * Whoever may write DownloadRequests could otherwise have the server ask any address that it reaches.
 */
export async function checkLink(
  check: LinkCheck,
  target: LinkTarget,
  link: string,
  signal: AbortSignal,
): Promise<void> {
  const location = await locationOf(check.client, target, signal);
  const fault = linkFault(link, location, check.downloads);
  if (fault === undefined) return;
  const what = `${target.kind} of "${target.name}"`;
  const name = location.metadata.name;
  throw new AppError("DOWNLOAD_REFUSED", `${what}: the link ${fault}, not to storage location "${name}"`, {
    retry: false,
  });
}

async function locationOf(
  client: Pick<Client, "get">,
  { kind, name, namespace }: LinkTarget,
  signal: AbortSignal,
): Promise<BackupStorageLocation> {
  const query = { namespace };
  const backup = kind.startsWith("Restore")
    ? (await client.get<Restore>(resourceOf(kinds.Restore), name, query, signal)).spec?.backupName
    : name;
  const { spec } = await client.get<Backup>(resourceOf(kinds.Backup), backup ?? "", query, signal);
  const at = spec?.storageLocation ?? "default";
  return client.get<BackupStorageLocation>(resourceOf(kinds.BackupStorageLocation), at, query, signal);
}

/** Where a link leads that does not lead to this location; undefined when it does. */
export function linkFault(
  link: string,
  location: BackupStorageLocation,
  downloads?: () => string | undefined,
): string | undefined {
  const url = URL.parse(link);
  if (!url || !/^https?:$/.test(url.protocol)) return "leads to no web address";
  if (url.username !== "" || url.password !== "") return "holds a password";
  if (isOfStore(url, location) || isOfOperator(url, location, downloads)) return undefined;
  return `leads to "${url.host}"`;
}

/** Public endpoints by provider, for locations that name none themselves. */
const endpoints: Readonly<Record<string, RegExp>> = {
  aws: /^([a-z0-9.-]+\.)?s3([.-][a-z0-9-]+)*\.amazonaws\.com(\.cn)?$/,
  gcp: /^([a-z0-9._-]+\.)?storage\.googleapis\.com$/,
  azure: /^[a-z0-9]+\.blob\.core\.(windows\.net|chinacloudapi\.cn|usgovcloudapi\.net)$/,
};

/** Any address in the location's config is one of its own: s3Url, publicUrl, and what other providers call theirs. */
function isOfStore(url: URL, { spec }: BackupStorageLocation): boolean {
  const bucket = spec?.objectStorage?.bucket ?? "";
  const named = Object.values(spec?.config ?? {}).flatMap((value) => {
    const own = URL.parse(value);
    return own && /^https?:$/.test(own.protocol) ? [own] : [];
  });
  if (named.some((own) => isSamePlace(url, own, bucket))) return true;
  if (spec?.config?.["s3Url"]) return false;
  const provider = (spec?.provider ?? "").replace(/^(velero\.io|headway\.dev)\//, "");
  const known = Object.hasOwn(endpoints, provider) ? endpoints[provider] : undefined;
  return url.protocol === "https:" && url.port === "" && known?.test(url.hostname) === true;
}

/** The same origin, or the bucket's own name below it, as S3 clients write it without path style. */
function isSamePlace(url: URL, own: URL, bucket: string): boolean {
  return (
    url.protocol === own.protocol &&
    url.port === own.port &&
    (url.hostname === own.hostname || (bucket !== "" && url.hostname === `${bucket}.${own.hostname}`))
  );
}

/** Links to stores without links of their own are served by the operator. */
function isOfOperator(
  url: URL,
  { metadata }: BackupStorageLocation,
  downloads: (() => string | undefined) | undefined,
): boolean {
  const isForm =
    url.pathname.endsWith("/download") &&
    url.searchParams.get("location") === metadata.name &&
    ["key", "expires", "signature"].every((part) => url.searchParams.has(part));
  if (!isForm || !downloads) return isForm;
  const base = URL.parse(downloads() ?? "");
  return base !== null && base.origin === url.origin;
}
