import { gunzipped } from "../../../../packages/wire/index.ts";
import { type ArchiveEntry, parseArchiveEntry } from "../../../api/index.ts";
import { parseItem } from "./item-json.ts";
import { archiveLimits } from "./read.ts";
import { refused, TarReader } from "./tar.ts";

/** An item of an archive: its place, its text, and its labels. */
export interface VisitedItem {
  readonly entry: ArchiveEntry;
  readonly json: Uint8Array;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Hands out the items of an archive that are wanted, one after the other as they lie in it, within the limits of reading one.
 * What cannot be trusted is passed over. Holds the items of one chunk at a time.
 */
export async function* visitArchive(
  source: AsyncIterable<Uint8Array>,
  wants: (entry: ArchiveEntry) => boolean,
  signal: AbortSignal,
): AsyncGenerator<VisitedItem> {
  const met: VisitedItem[] = [];
  const isWanted = (name: string) => {
    const entry = parseArchiveEntry(name);
    return entry !== undefined && entry.version === undefined && wants(entry);
  };
  const tar = new TarReader(
    {
      wants: isWanted,
      file(name, body) {
        const entry = parseArchiveEntry(name);
        const item = entry && parseItem(body, entry);
        if (!entry || item === undefined || typeof item === "string") return;
        met.push({ entry, json: Uint8Array.from(body), labels: item.metadata.labels ?? {} });
      },
    },
    archiveLimits,
  );
  let total = 0;
  const damaged = (cause: unknown) => refused("its compression is damaged or cut", cause);
  for await (const chunk of gunzipped(source, { signal, damaged })) {
    total += chunk.length;
    if (total > archiveLimits.totalBytes)
      throw refused(`it holds more than ${archiveLimits.totalBytes} bytes`);
    tar.push(chunk);
    yield* met.splice(0);
  }
  tar.end();
  yield* met.splice(0);
}
