import { CallError } from "../error.ts";
import { parseUint64 } from "../number.ts";
import { compareText } from "../text.ts";
import { int, int64, type Method, Struct, type Type, types, type Value } from "../value.ts";
import { define, type Func } from "./define.ts";

/** A version as Masterminds/semver 1.5 reads it. */
interface Version {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly pre: string;
  readonly metadata: string;
  readonly original: string;
}

/** sprig's semantic versions. */
export const semver: Readonly<Record<string, Func>> = {
  semver: define("string", (a) => versionValue(parseVersion(a.text(0)), true)),
  semverCompare: define("string string", (a) => {
    const check = parseConstraint(a.text(0));
    return check(parseVersion(a.text(1)));
  }),
};

const identifiers = "[0-9A-Za-z\\-]+(?:\\.[0-9A-Za-z\\-]+)*";
const versionShape = new RegExp(
  `^v?([0-9]+)(\\.[0-9]+)?(\\.[0-9]+)?(?:-(${identifiers}))?(?:\\+(${identifiers}))?$`,
);

function parseVersion(text: string): Version {
  const found = versionShape.exec(text);
  if (found === null || text.endsWith("\n")) throw new CallError("Invalid Semantic Version");
  const [, major = "0", minor = ".0", patch = ".0", pre = "", metadata = ""] = found;
  return {
    major: segment(major),
    minor: segment(minor.slice(1)),
    patch: segment(patch.slice(1)),
    pre,
    metadata,
    original: text,
  };
}

function segment(digits: string): bigint {
  const value = BigInt(digits);
  if (value < 2n ** 63n) return value;
  throw new CallError(
    `Error parsing version segment: strconv.ParseInt: parsing "${digits}": value out of range`,
  );
}

function versionText(v: Version): string {
  return `${v.major}.${v.minor}.${v.patch}${v.pre === "" ? "" : `-${v.pre}`}${v.metadata === "" ? "" : `+${v.metadata}`}`;
}

function compare(a: Version, b: Version): number {
  for (const key of ["major", "minor", "patch"] as const)
    if (a[key] !== b[key]) return a[key] < b[key] ? -1 : 1;
  if (a.pre === b.pre) return 0;
  if (a.pre === "") return 1;
  if (b.pre === "") return -1;
  const left = a.pre.split(".");
  const right = b.pre.split(".");
  for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
    const order = comparePart(left[i] ?? "", right[i] ?? "");
    if (order !== 0) return order;
  }
  return 0;
}

function comparePart(a: string, b: string): number {
  if (a === b) return 0;
  if (a === "") return -1;
  if (b === "") return 1;
  const left = parseUint64(a, 10);
  const right = parseUint64(b, 10);
  const leftIsText = typeof left === "string";
  const rightIsText = typeof right === "string";
  if (leftIsText && rightIsText) return compareText(a, b) > 0 ? 1 : -1;
  if (rightIsText) return -1;
  if (leftIsText) return 1;
  return left > right ? 1 : -1;
}

type Check = (version: Version) => boolean;
const wild = "[0-9|x|X|*]+";
const constraintVersion = `v?(${wild})(\\.${wild})?(\\.${wild})?(-(${identifiers}))?(?:\\+${identifiers})?`;
// The longest operator that fits wins, whatever order Go's map gives them in.
const constraintShape = new RegExp(`^\\s*(!=|>=|=>|<=|=<|~>|=|>|<|~|\\^|)\\s*(${constraintVersion})\\s*$`);
const rangeShape = new RegExp(`\\s*(${constraintVersion})\\s+-\\s+(${constraintVersion})\\s*`, "g");

function parseConstraint(text: string): Check {
  const rewritten = text.replace(
    rangeShape,
    (...groups: unknown[]) => `>= ${String(groups[1])}, <= ${String(groups[7])}`,
  );
  const any = rewritten.split("||").map((part) => part.split(",").map(parseOne));
  return (version) => any.some((all) => all.every((check) => check(version)));
}

interface Constraint {
  readonly version: Version;
  readonly dirty: boolean;
  readonly minorDirty: boolean;
  readonly patchDirty: boolean;
}

function parseOne(text: string): Check {
  const found = constraintShape.exec(text);
  if (found === null) throw new CallError(`improper constraint: ${text}`);
  const [, operator = "", whole = "", major = "", minor = "", patch = "", pre = ""] = found;
  const isX = (part: string) => part === "x" || part === "X" || part === "*";
  const anything = isX(major);
  const minorDirty = !anything && (minor === "" || isX(minor.slice(1)));
  const patchDirty = !anything && !minorDirty && isX(patch.slice(1));
  let version = whole;
  if (anything) version = "0.0.0";
  else if (minorDirty) version = `${major}.0.0${pre}`;
  else if (patchDirty) version = `${major}${minor}.0${pre}`;
  if (!versionShape.test(version)) throw new CallError("constraint Parser Error");
  const constraint = {
    version: parseVersion(version),
    dirty: anything || minorDirty || patchDirty,
    minorDirty,
    patchDirty,
  };
  return (candidate) => checkOne(operator, candidate, constraint);
}

function checkOne(operator: string, v: Version, c: Constraint): boolean {
  const order = compare(v, c.version);
  if (operator === "!=") return differs(v, c, order);
  // Without a pre-release in the constraint, pre-releases do not satisfy it.
  if (v.pre !== "" && c.version.pre === "") return false;
  switch (operator) {
    case ">":
      return order === 1;
    case ">=":
    case "=>":
      return order >= 0;
    case "<":
      return c.dirty ? below(v, c) : order < 0;
    case "<=":
    case "=<":
      return c.dirty ? below(v, c) : order <= 0;
    case "~":
    case "~>":
      return near(v, c, order);
    case "^":
      return order >= 0 && v.major === c.version.major;
    default:
      return c.dirty ? near(v, c, order) : order === 0;
  }
}

function differs(v: Version, c: Constraint, order: number): boolean {
  if (!c.dirty) return order !== 0;
  if (v.pre !== "" && c.version.pre === "") return false;
  return c.version.major !== v.major || (c.version.minor !== v.minor && !c.minorDirty);
}

function below(v: Version, c: Constraint): boolean {
  return !(v.major > c.version.major || (v.minor > c.version.minor && !c.minorDirty));
}

function near(v: Version, c: Constraint, order: number): boolean {
  if (order < 0) return false;
  const { major, minor, patch } = c.version;
  if (major === 0n && minor === 0n && patch === 0n && !c.minorDirty && !c.patchDirty) return true;
  return v.major === major && (v.minor === minor || c.minorDirty);
}

const pointerType: Type = { name: "*semver.Version", kind: "ptr" };

/** A version as a template sees it; only a pointer has the methods that Go hangs on pointers. */
function versionValue(v: Version, pointer: boolean): Struct {
  const get = (call: () => Value): Method => ({ params: [], call });
  const against = (test: (order: number) => Value): Method => ({
    params: [pointerType],
    call: ([other]) => test(compare(v, parseVersion(originalOf(other)))),
  });
  const next = (change: Partial<Version>) => get(() => versionValue(changed(v, change), false));
  const always: Record<string, Method> = {
    IncPatch: next(v.pre === "" ? { patch: v.patch + 1n, pre: "", metadata: "" } : { pre: "", metadata: "" }),
    IncMinor: next({ minor: v.minor + 1n, patch: 0n, pre: "", metadata: "" }),
    IncMajor: next({ major: v.major + 1n, minor: 0n, patch: 0n, pre: "", metadata: "" }),
    SetPrerelease: { params: [types.string], call: ([text]) => withPart(v, "pre", text) },
    SetMetadata: { params: [types.string], call: ([text]) => withPart(v, "metadata", text) },
  };
  const onPointer: Record<string, Method> = {
    Major: get(() => int64(v.major)),
    Minor: get(() => int64(v.minor)),
    Patch: get(() => int64(v.patch)),
    Prerelease: get(() => v.pre),
    Metadata: get(() => v.metadata),
    Original: get(() => v.original),
    String: get(() => versionText(v)),
    Compare: against((order) => int(order)),
    Equal: against((order) => order === 0),
    LessThan: against((order) => order < 0),
    GreaterThan: against((order) => order > 0),
  };
  return new Struct("semver.Version", fields(v), {
    pointer,
    methods: pointer ? { ...always, ...onPointer } : always,
    ...(pointer ? { text: () => versionText(v) } : {}),
  });
}

/** What a deep copy makes of a version: its fields are hidden, so that nothing is copied. */
export function blankVersion(pointer: boolean): Struct {
  return versionValue({ major: 0n, minor: 0n, patch: 0n, pre: "", metadata: "", original: "" }, pointer);
}

function fields(v: Version): { name: string; value: unknown; hidden: true }[] {
  return Object.entries(v).map(([name, value]) => ({ name, value: value as unknown, hidden: true }));
}

function originalOf(value: Value): string {
  const field = value instanceof Struct ? value.field("original") : undefined;
  return typeof field?.value === "string" ? field.value : "";
}

function changed(v: Version, change: Partial<Version>): Version {
  const fresh = { ...v, ...change };
  return { ...fresh, original: (v.original.startsWith("v") ? "v" : "") + versionText(fresh) };
}

function withPart(v: Version, part: "pre" | "metadata", value: Value): Struct {
  const text = typeof value === "string" ? value : "";
  if (text !== "" && !new RegExp(`^${identifiers}$`).test(text)) {
    throw new CallError(part === "pre" ? "Invalid Prerelease string" : "Invalid Metadata string");
  }
  return versionValue(changed(v, { [part]: text }), false);
}
