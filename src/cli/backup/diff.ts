import { type BackupDiff, diffBackups, diffLive, type ObjectName } from "../../browse/index.ts";
import { AppError } from "../../errors.ts";
import { given, type Input, text, texts } from "../command.ts";
import type { Io } from "../io.ts";
import { structured } from "../render/structured.ts";
import { withPlace } from "./browse-place.ts";
import { shownName } from "./browse-words.ts";

/** Tells what differs between two backups, or between a backup and what runs. */
export async function diff(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const [before = "", after] = input.args;
  const isLive = given(input, "live");
  if ((after === undefined) !== isLive) {
    throw new AppError("USAGE", "name a second backup, or --live, and not both", { retry: false });
  }
  const filter = {
    namespaces: texts(input, "include-namespaces"),
    resources: texts(input, "include-resources"),
  };
  const found = await withPlace(input, io, (place) =>
    after === undefined
      ? diffLive(place, before, filter, signal)
      : diffBackups(place, [before, after], { filter, volumes: !given(input, "objects-only") }, signal),
  );
  io.out(text(input, "output") === "json" ? await structured(found, "json") : diffText(found));
}

/** The difference as lines: a sign, the object or the file, and below it its fields. */
export function diffText({ objects, volumes, unread }: BackupDiff): string {
  const lines = [
    ...objects.added.map((one) => `+ ${objectText(one)}`),
    ...objects.removed.map((one) => `- ${objectText(one)}`),
    ...objects.changed.flatMap((one) => [
      `~ ${objectText(one)}`,
      ...one.fields.map(
        ({ path, before, after }) => `    ${shownName(path)}: ${valueText(before)} -> ${valueText(after)}`,
      ),
    ]),
    ...(objects.more > 0 ? [`and ${objects.more} more objects`] : []),
    ...(volumes ?? []).flatMap((volume) => [
      `${volumeSigns[volume.change]} volume ${volume.volume}${volumeWords(volume)}`,
      ...volume.files.map(({ sign, path }) => `    ${sign} ${shownName(path)}`),
      ...moreFiles(volume),
    ]),
    ...unread.map((what) => `? ${what}`),
  ];
  const total = objects.added.length + objects.removed.length + objects.changed.length + objects.more;
  return `${lines.map((line) => `${line}\n`).join("")}${total} objects differ, ${objects.same} are the same.\n`;
}

type VolumeLine = NonNullable<BackupDiff["volumes"]>[number];

const volumeSigns: Readonly<Record<VolumeLine["change"], string>> = {
  added: "+",
  removed: "-",
  changed: "~",
  same: "=",
  other: "?",
  denied: "?",
};

function volumeWords({ change, added, removed, changed }: VolumeLine): string {
  if (change === "changed") return `: files ${added} added, ${removed} removed, ${changed} changed`;
  if (change === "other")
    return ": stored by another mover or in another location, so its files are not compared";
  return change === "denied" ? ": you may not read its files" : "";
}

function moreFiles({ added, removed, changed, files }: VolumeLine): readonly string[] {
  const more = added + removed + changed - files.length;
  return more > 0 ? [`    and ${more} more files`] : [];
}

function objectText({ resource, namespace, name }: ObjectName): string {
  return `${resource} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

/** A value on one line; nothing is said as nothing. */
function valueText(value: unknown): string {
  if (value === undefined) return "(none)";
  return shownName(JSON.stringify(value)).slice(0, 300);
}
