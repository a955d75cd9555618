import {
  assumptions,
  type Basis,
  type Forecast,
  type Lever,
  type Place,
} from "../../engines/recovery/index.ts";
import { formatBytes, formatDuration, formatPercent } from "../../progress/index.ts";
import { table } from "../render/table.ts";
import { clean } from "../render/text.ts";
import type { Gathered } from "./gather.ts";

/** The plan of a recovery, for people. */
export function recoveryWords(
  told: Forecast,
  { missing }: Pick<Gathered, "missing">,
  place: Place,
  columns: number | undefined,
): string {
  const { restores, seconds, low, high } = told;
  if (restores.length === 0) return `there is nothing to restore\n${missingWords(missing)}`;
  const size = `${count(restores.length, "backup")}, ${count(told.objects, "object")}, ${count(told.volumes, "volume")} with ${formatBytes(told.bytes)}`;
  const rows = restores.map((one) => [
    one.backup,
    one.objects === undefined ? "?" : `${one.objects}`,
    `${one.volumes}`,
    formatBytes(one.bytes),
    time(one.start),
    time(one.end),
    basisWords[one.basis],
  ]);
  return [
    `A full recovery takes about ${time(seconds)} (80 %: ${time(low)} to ${time(high)}).\n`,
    `${size}; ${count(place.slots, "volume")} at a time${place.bytesPerSecond === undefined ? "" : `, ${formatBytes(place.bytesPerSecond)}/s`}\n\n`,
    table(["BACKUP", "OBJECTS", "VOLUMES", "SIZE", "STARTS", "ENDS", "KNOWN FROM"], rows, { columns }),
    `\nWhat decides the end:\n${pathWords(told)}`,
    told.levers.length === 0 ? "" : `\nWhat would help:\n${told.levers.map(leverWords).join("")}`,
    assumptionWords(told),
    missingWords(missing),
  ].join("");
}

const basisWords: Readonly<Record<Basis, string>> = {
  restores: "its restores",
  backups: "its backups",
  "other volumes": "other volumes",
  bandwidth: "the bandwidth",
  assumed: "a guess",
};

/** Long chains are cut in their middle. */
const shownPath = 8;

function pathWords({ criticalPath }: Forecast): string {
  const lines = criticalPath.map(({ backup, what, title, start, end }) => {
    const name = what === "volume" ? `${title}` : `${backup}: ${what}`;
    return `  ${time(end - start)}  ${clean(name)}\n`;
  });
  if (lines.length <= shownPath) return lines.join("");
  const half = shownPath / 2;
  return [...lines.slice(0, half), `  … ${lines.length - shownPath} more\n`, ...lines.slice(-half)].join("");
}

function leverWords({ change, to, seconds, saves }: Lever): string {
  const what = {
    slots: `${to} volumes at a time`,
    bandwidth: `a link of ${formatBytes(Number(to))}/s`,
    "largest first": "the largest volumes of each backup first",
  }[change];
  return `  ${what}: ${formatPercent(saves)} less, about ${time(seconds)}\n`;
}

function assumptionWords({ bases, restores }: Forecast): string {
  const { bytesPerSecond, itemsPerSecond, factor } = assumptions;
  const lines = [
    ...(bases.assumed
      ? [
          `nothing is known of ${count(bases.assumed, "part")}: taken for ${formatBytes(bytesPerSecond)}/s a volume and ${itemsPerSecond} objects a second, and up to ${factor} times faster or slower`,
        ]
      : []),
    ...(bases.backups
      ? [`${count(bases.backups, "volume")} never restored: taken to last as long as the backup`]
      : []),
    ...(bases["other volumes"]
      ? [`${count(bases["other volumes"], "volume")} never copied here: taken to be as fast as the others`]
      : []),
    ...(restores.length > 0
      ? ["an empty cluster with room for all of it, and images that can be pulled"]
      : []),
  ];
  return `\nWhat is assumed:\n${lines.map((line) => `  ${line}\n`).join("")}`;
}

function missingWords(missing: Gathered["missing"]): string {
  if (missing.length === 0) return "";
  const lines = missing.map(({ backup, why }) => `  ${clean(backup)}: ${clean(why)}\n`);
  return `\nWhat does not come back:\n${lines.join("")}`;
}

/** In whole seconds; what takes any time takes one at least. */
function time(seconds: number): string {
  return formatDuration(Math.ceil(seconds));
}

function count(value: number, what: string): string {
  return `${value} ${what}${value === 1 ? "" : "s"}`;
}
