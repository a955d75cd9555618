import { addressText, type Inventory, type Sighting, type StoredVolume } from "../../browse/index.ts";
import type { FileEntry } from "../../movers/index.ts";
import { formatBytes } from "../../progress/index.ts";
import { table } from "../render/table.ts";

/** A name of a file as one line that moves no cursor: what cannot be seen is written as an escape, as in JSON. */
export function shownName(name: string): string {
  return name.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (char) => {
    const short = JSON.stringify(char).slice(1, -1);
    return short === char ? `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}` : short;
  });
}

/** A name for a file of ours after the last name of a path that anybody may have chosen. */
export function plainName(path: string): string {
  const last = path.split("/").findLast((part) => part !== "") ?? "";
  const plain = last
    .replace(/[^\w.-]+/g, "_")
    .replace(/^[.-]+/, "")
    .slice(0, 200);
  return plain === "" ? "file" : plain;
}

const typeMarks = { file: "-", folder: "d", link: "l", other: "?" } as const;

/** The table of a folder. */
export function fileTable(entries: readonly FileEntry[], columns: number | undefined): string {
  const rows = entries.map((entry) => [
    `${typeMarks[entry.type]}${entry.mode === undefined ? "" : entry.mode.toString(8).padStart(4, "0")}`,
    entry.uid === undefined ? "" : `${entry.uid}:${entry.gid ?? "?"}`,
    entry.bytes === undefined ? "" : String(entry.bytes),
    momentOf(entry.modified),
    `${shownName(entry.name)}${entry.type === "folder" ? "/" : ""}${entry.target === undefined ? "" : ` -> ${shownName(entry.target)}`}`,
  ]);
  return table(["MODE", "OWNER", "BYTES", "MODIFIED", "NAME"], rows, { columns, named: 4 });
}

/** The volumes of a backup. */
export function volumeTable(volumes: readonly StoredVolume[], columns: number | undefined): string {
  if (volumes.length === 0) return "No volume whose files can be read.\n";
  const rows = volumes.map(({ name, uploader, bytes, claim }) => [
    addressText(name),
    "claim" in name ? name.claim : (claim ?? ""),
    uploader,
    bytes === undefined ? "" : formatBytes(bytes),
  ]);
  return table(["VOLUME", "CLAIM", "MOVER", "SIZE"], rows, { columns });
}

/** The objects of a backup, a line for each namespace. */
export function inventoryText(inventory: Inventory): string {
  const lines = inventory.map(({ namespace, kinds }) => {
    const counted = kinds.map(({ resource, objects }) => `${resource} ${objects}`);
    return `${namespace === "" ? "(cluster)" : namespace}: ${counted.join(", ")}\n`;
  });
  return `${lines.join("") || "No object that you may read.\n"}\n`;
}

const changeWords: Readonly<Record<Sighting["change"], string>> = {
  first: "first seen",
  same: "",
  changed: "changed",
  gone: "gone",
  back: "back again",
  absent: "not there",
};

/** In which backups a path is. */
export function sightingTable(found: readonly Sighting[], columns: number | undefined): string {
  const rows = found.map(({ backup, at, entry, change }) => [
    backup,
    at,
    entry?.bytes === undefined ? "" : String(entry.bytes),
    momentOf(entry?.modified),
    changeWords[change],
  ]);
  return table(["BACKUP", "STARTED", "BYTES", "MODIFIED", "CHANGE"], rows, { columns });
}

function momentOf(time: string | undefined): string {
  return (
    /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})/
      .exec(time ?? "")
      ?.slice(1)
      .join(" ") ?? ""
  );
}
