import {
  needsLook,
  type PlannedItem,
  type RestorePlan,
  reasonOf,
  verdicts,
  verdictWords,
  volumeTimeWords,
  wholeTimeWords,
} from "../../kinds/index.ts";
import { formatBytes } from "../../progress/index.ts";
import { table } from "../render/table.ts";

interface PlanStyle {
  /** Every item, not only those that something stands in the way of. */
  readonly details: boolean;
  readonly columns?: number | undefined;
}

/** So many rows of groups, and so many items that need a look, fit a person's eye. */
const maxRows = 40;
const maxNoted = 20;

/** The exit code of a plan: 0 when nothing stands in the way, 1 when something does, 5 when somebody may not know. */
export function planExit({ faults, counts, hidden }: RestorePlan): number {
  if (faults.length > 0 || counts.conflict + counts.refused > 0) return 1;
  return counts.unknown > 0 || hidden.length > 0 ? 5 : 0;
}

/** A plan for a person: the sums first, then groups, then what needs a look; or everything. */
export function planText(plan: RestorePlan, style: PlanStyle): string {
  if (plan.faults.length > 0) {
    return [`The restore would be refused as a whole:`, ...plan.faults.map((fault) => `  ${fault}`), ""].join(
      "\n",
    );
  }
  const parts = [
    `Restore of backup "${plan.backup}": this is a plan, nothing was changed.\n`,
    sums(plan),
    groups(plan, style),
    items(plan, style),
    volumes(plan, style),
    remarks(plan),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

function sums({ counts, notAsked, hooks, volumes: data, bytes, time }: RestorePlan): string {
  const rows = verdicts
    .filter((verdict) => counts[verdict] > 0 || verdict === "create")
    .map((verdict) => [
      `  ${verdict}`,
      String(counts[verdict]),
      verdict === "create" && notAsked > 0
        ? `${verdictWords.create}; admission was not asked about ${notAsked}`
        : verdictWords[verdict],
    ]);
  const wide = Math.max(...rows.map(([, count = ""]) => count.length));
  const lines = rows.map(
    ([word = "", count = "", why = ""]) => `${word.padEnd(12)}${count.padStart(wide)}  ${why}`,
  );
  const coming = data.filter(({ leftOut }) => leftOut === undefined).length;
  if (data.length > 0) lines.push(`  volumes   ${coming} of ${data.length} with ${formatBytes(bytes)}`);
  if (hooks > 0) lines.push(`  hooks     ${hooks} ${hooks === 1 ? "command" : "commands"} in restored pods`);
  lines.push(`  time      ${wholeTimeWords(time)}`);
  return `${lines.join("\n")}\n`;
}

/** By namespace and type; where that is too long for an eye, by the one of both that has fewer. */
function groups({ groups: all, counts }: RestorePlan, { columns }: PlanStyle): string {
  const shown = verdicts.filter((verdict) => counts[verdict] > 0);
  if (shown.length === 0) return "";
  const spaces = Map.groupBy(all, ({ namespace = "" }) => namespace);
  const types = Map.groupBy(all, ({ resource }) => resource);
  const isLong = all.length > maxRows;
  const few = spaces.size <= types.size ? spaces : types;
  const cells: readonly (readonly [readonly string[], typeof all])[] = isLong
    ? [...few].map(([key, each]) => [[key || "(cluster)"], each] as const)
    : all.map((group) => [[group.namespace ?? "(cluster)", group.resource], [group]] as const);
  const rows = cells.map(([names, each]) => [
    ...names,
    ...shown.map((verdict) => String(each.reduce((sum, one) => sum + (one.counts[verdict] ?? 0), 0))),
  ]);
  const names = isLong ? [few === spaces ? "NAMESPACE" : "RESOURCE"] : ["NAMESPACE", "RESOURCE"];
  return table([...names, ...shown.map((verdict) => verdict.toUpperCase())], rows, { columns });
}

function items(plan: RestorePlan, { details, columns }: PlanStyle): string {
  const needLook = plan.items.filter(({ verdict }) => needsLook(verdict));
  const shown = details ? plan.items : needLook.slice(0, maxNoted);
  if (shown.length === 0) return "";
  const rows = shown.map((item) => [item.verdict, placeOf(item), reasonOf(item)]);
  const rest = details ? plan.moreItems : needLook.length - shown.length;
  const more = details
    ? `${rest} more items are counted and not listed\n`
    : `${rest} more like these; --details lists every item\n`;
  return `${table(["VERDICT", "ITEM", "REASON"], rows, { columns, named: 1 })}${rest > 0 ? more : ""}`;
}

function placeOf({ resource, namespace, name }: PlannedItem): string {
  return `${resource} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

function volumes({ volumes: all }: RestorePlan, { details, columns }: PlanStyle): string {
  if (all.length === 0) return "";
  const shown = details ? all : all.slice(0, maxRows);
  const rows = shown.map(({ namespace, name, pod, method, mover, bytes, time, leftOut }) => [
    `${namespace}/${pod === undefined ? "" : `${pod}/`}${name}`,
    mover === undefined ? method : `${method} (${mover})`,
    bytes === undefined ? "" : formatBytes(bytes),
    leftOut ?? (time ? volumeTimeWords(time) : ""),
  ]);
  const rest = all.length - shown.length;
  const more = rest > 0 ? `${rest} more volumes; --details lists all\n` : "";
  return `${table(["VOLUME", "METHOD", "SIZE", "TIME"], rows, { columns })}${more}`;
}

function remarks({ hidden, notes }: RestorePlan): string {
  const lines = [
    ...(hidden.length > 0
      ? [`Not shown, because you may not read them where they are or would be: ${hidden.join(", ")}`]
      : []),
    ...notes.map((note) => `Note: ${note}`),
  ];
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}
