import {
  addressText,
  type BrowsePlace,
  inventoryOf,
  namesIn,
  openBackup,
  parseAddress,
  pathIn,
  sightings,
  volumeAt,
} from "../../browse/index.ts";
import { AppError, isCode } from "../../errors.ts";
import type { FileEntry, Listing } from "../../movers/index.ts";
import { given, type Input, text } from "../command.ts";
import type { Io } from "../io.ts";
import { structured } from "../render/structured.ts";
import { withPlace } from "./browse-place.ts";
import { fileTable, inventoryText, plainName, sightingTable, volumeTable } from "./browse-words.ts";
import { saved } from "./save.ts";

/** Files of one page at most: what is held in memory. */
const maxPage = 10_000;

/** Lists the objects and volumes of a backup, the objects of a namespace, or a folder of a volume. */
export async function listBackup(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const [name = "", path] = input.args;
  await withPlace(input, io, async (place) => {
    if (path === undefined) return await listWhole(place, name, input, io, signal);
    if (path.includes("/")) return await listFolder(place, name, path, input, io, signal);
    const { rights } = await openBackup(place, name, signal);
    const names = await namesIn(place, name, { namespace: path, rights }, signal);
    if (isJson(input)) return io.out(await structured({ namespace: path, objects: names }, "json"));
    io.out(names.map((one) => `${one}\n`).join(""));
  });
}

/** Prints a file; on a terminal without what could move the cursor. */
export async function printFile(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const [name = "", path = ""] = input.args;
  await withPlace(input, io, async (place) => {
    const { mover, at } = await opened(place, name, path, signal);
    await mover.read({ ...at, onData: onBytes(io) }, signal);
  });
}

/** Saves a file as it is, or a folder as tar. */
export async function downloadPath(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const [name = "", path = ""] = input.args;
  await withPlace(input, io, async (place) => {
    const { mover, at } = await opened(place, name, path, signal);
    const entry = await mover.find(at, signal);
    const how = entry?.type === "folder" ? "archive" : "read";
    const to = text(input, "output") ?? `${plainName(path)}${how === "archive" ? ".tar" : ""}`;
    if (to === "-")
      return await mover[how]({ ...at, onData: onBytes({ ...io, terminal: undefined }) }, signal);
    await saved(to, given(input, "force"), (onData) => mover[how]({ ...at, onData }, signal));
    io.err(`${JSON.stringify(path)} of backup "${name}" was saved to "${to}"\n`);
  });
}

/** Tells in which backups a path is. */
export async function findPath(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const address = parseAddress(input.args[0] ?? "");
  const limit = numberOf(input, "limit", 100_000);
  await withPlace(input, io, async (place) => {
    const found = await Array.fromAsync(sightings(place, address, limit, signal));
    if (isJson(input)) return io.out(await structured(found, "json"));
    if (found.length === 0) return io.err(`no backup has the volume ${addressText(address.volume)}\n`);
    io.out(sightingTable(found, io.terminal?.columns));
  });
}

async function listWhole(place: BrowsePlace, name: string, input: Input, io: Io, signal: AbortSignal) {
  const { volumes, rights } = await openBackup(place, name, signal);
  const objects = await inventoryOf(place, name, rights, signal);
  if (!isJson(input)) return io.out(`${inventoryText(objects)}${volumeTable(volumes, io.terminal?.columns)}`);
  const shown = volumes.map(({ name: of, ...rest }) => ({ address: addressText(of), ...rest }));
  io.out(await structured({ objects, volumes: shown }, "json"));
}

async function listFolder(
  place: BrowsePlace,
  name: string,
  path: string,
  input: Input,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  const { mover, at } = await opened(place, name, path, signal);
  const page = { limit: numberOf(input, "limit", maxPage), skip: numberOf(input, "skip") };
  const listing = await mover
    .list({ ...at, ...page }, signal)
    .catch(async (error: unknown): Promise<Listing> => {
      if (!isCode(error, "SNAPSHOT_PATH")) throw error;
      const itself: FileEntry | undefined = await mover.find(at, signal);
      if (itself === undefined || itself.type === "folder") throw error;
      return { entries: [itself] };
    });
  if (isJson(input)) return io.out(await structured(listing, "json"));
  io.out(fileTable(listing.entries, io.terminal?.columns));
  if (listing.next !== undefined) io.err(`there is more: --skip ${listing.next} shows the next page\n`);
}

async function opened(place: BrowsePlace, name: string, address: string, signal: AbortSignal) {
  const { volume, path } = parseAddress(address);
  return await pathIn(place, await volumeAt(await openBackup(place, name, signal), volume), path, signal);
}

function onBytes(io: Pick<Io, "out" | "bytes" | "terminal">): (chunk: Uint8Array) => Promise<void> {
  const decoder = new TextDecoder();
  return async (chunk) => {
    if (!io.terminal && io.bytes) return await io.bytes(chunk);
    // A file may hold what moves the cursor or renames the window.
    io.out(decoder.decode(chunk, { stream: true }).replace(/(?![\n\t])\p{Cc}/gu, "\ufffd"));
  };
}

function isJson(input: Input): boolean {
  return text(input, "output") === "json";
}

function numberOf(input: Input, flag: string, most = Number.MAX_SAFE_INTEGER): number {
  const given = text(input, flag) ?? "0";
  const number = Number(given);
  if (/^\d{1,15}$/.test(given) && number <= most) return number;
  throw new AppError("USAGE", `--${flag} takes a number of at most ${most}, not "${given}"`, {
    retry: false,
  });
}
