import { parse } from "yaml";
import { type Drill, parseGoDurationMs } from "../../api/index.ts";
import { AppError, messageOf } from "../../errors.ts";
import { pairsOf } from "../backup/spec.ts";
import { given, type Input, text, texts } from "../command.ts";

type Spec = NonNullable<Drill["spec"]>;

/** The spec that the flags ask for; `checks` is the text of the file with the checks. */
export function drillSpecOf(input: Input, checks?: string): Spec {
  const [backupName, scheduleName] = [text(input, "from-backup"), text(input, "from-schedule")];
  if ((backupName === undefined) === (scheduleName === undefined)) {
    throw usage("which backup? --from-backup or --from-schedule, one of them");
  }
  const isolation = isolationOf(input);
  const list = (flag: string) => texts(input, flag);
  const [readyTimeout, restoreTimeout] = [
    durationOf(input, "ready-timeout"),
    durationOf(input, "restore-timeout"),
  ];
  return {
    ...(backupName !== undefined && { backupName }),
    ...(scheduleName !== undefined && { scheduleName }),
    ...(list("include-namespaces").length > 0 && { includedNamespaces: list("include-namespaces") }),
    ...(Object.keys(isolation).length > 0 && { isolation }),
    ...(readyTimeout !== undefined && { readyTimeout }),
    ...(restoreTimeout !== undefined && { restoreTimeout }),
    ...(checks !== undefined && { checks: checksOf(checks) }),
    ...timesOf(input),
  };
}

function isolationOf(input: Input): NonNullable<Spec["isolation"]> {
  const [storageClassName, modifier] = [
    text(input, "storage-class"),
    text(input, "resource-modifier-configmap"),
  ];
  const excludedResources = texts(input, "exclude-resources");
  const quota = pairsOf(input, "quota") ?? {};
  return {
    ...(storageClassName !== undefined && { storageClassName }),
    ...(modifier !== undefined && { resourceModifier: { kind: "ConfigMap", name: modifier } }),
    ...(excludedResources.length > 0 && { excludedResources }),
    ...(Object.keys(quota).length > 0 && { quota }),
    ...(given(input, "allow-egress") && { allowEgress: true }),
  };
}

function timesOf(input: Input): Pick<Spec, "schedule" | "timeZone" | "keep"> {
  const [schedule, timeZone, keep] = [text(input, "schedule"), text(input, "time-zone"), text(input, "keep")];
  if (schedule === undefined && (timeZone ?? keep) !== undefined) {
    throw usage("--time-zone and --keep go with --schedule");
  }
  if (keep !== undefined && !/^[1-9]\d{0,3}$/.test(keep))
    throw usage(`--keep: "${keep}" is no number of runs`);
  return {
    ...(schedule !== undefined && { schedule }),
    ...(timeZone !== undefined && { timeZone }),
    ...(keep !== undefined && { keep: Number(keep) }),
  };
}

function durationOf(input: Input, flag: string): string | undefined {
  const value = text(input, flag);
  if (value !== undefined && (parseGoDurationMs(value) ?? 0) <= 0) {
    throw usage(`--${flag}: "${value}" is no duration such as 90s or 10m`);
  }
  return value;
}

function checksOf(words: string): NonNullable<Spec["checks"]> {
  let value: unknown;
  try {
    value = parse(words);
  } catch (cause) {
    throw usage(`--checks: it is no YAML: ${messageOf(cause)}`);
  }
  if (!Array.isArray(value)) throw usage("--checks: it is no list of checks");
  return value as NonNullable<Spec["checks"]>; // the API server and the operator check each of them
}

function usage(words: string): AppError {
  return new AppError("USAGE", words, { retry: false });
}
