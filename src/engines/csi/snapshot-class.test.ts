import { expect, test } from "vitest";
import { type ClassWishes, chooseClass, type SnapshotClass } from "./snapshot-class.ts";

const key = "velero.io/csi-volumesnapshot-class";
const isDefault = { "snapshot.storage.kubernetes.io/is-default-class": "true" };
const of = (name: string, driver = "d", more: Partial<SnapshotClass["metadata"]> = {}): SnapshotClass => ({
  metadata: { name, ...more },
  driver,
});
const labelled = (name: string, value = "true", driver = "d") =>
  of(name, driver, { labels: { [key]: value } });
const marked = (name: string, driver = "d") => of(name, driver, { annotations: isDefault });

test.each<[string, SnapshotClass[], Partial<ClassWishes>, object]>([
  ["the only one of the driver", [of("a"), of("x", "other")], {}, { name: "a" }],
  [
    "the claim's word before all others",
    [labelled("a"), marked("b"), of("c")],
    { claim: { [key]: "c" } },
    { name: "c" },
  ],
  [
    "the claim's word before the backup's",
    [of("a"), of("b")],
    { claim: { [key]: "b" }, backup: { [`${key}_d`]: "a" } },
    { name: "b" },
  ],
  [
    "the claim's word before the policy's",
    [of("a"), of("b")],
    { claim: { [key]: "b" }, policy: "a" },
    { name: "b" },
  ],
  [
    "the policy's word before the backup's",
    [labelled("a"), of("b"), of("c")],
    { policy: "c", backup: { [`${key}_d`]: "b" } },
    { name: "c" },
  ],
  [
    "the backup's word for this driver",
    [labelled("a"), of("b")],
    { backup: { [`${key}_d`]: "b" } },
    { name: "b" },
  ],
  [
    "the backup's word is for a driver in lower case",
    [of("a", "Disk.CSI"), of("b", "Disk.CSI")],
    { driver: "Disk.CSI", backup: { [`${key}_disk.csi`]: "b" } },
    { name: "b" },
  ],
  [
    "the backup's word for another driver counts nothing",
    [labelled("a"), of("b")],
    { backup: { [`${key}_e`]: "b" } },
    { name: "a" },
  ],
  ["names whatever their case", [of("Gold"), of("b")], { claim: { [key]: "gOLD" } }, { name: "Gold" }],
  ["the labelled one, whatever the value", [of("a"), labelled("b", "false"), marked("c")], {}, { name: "b" }],
  ["the default one", [of("a"), marked("b")], {}, { name: "b" }],
  ["a default of another driver counts nothing", [of("a"), marked("b", "other")], {}, { name: "a" }],
  [
    "of two defaults the first by name, and says so",
    [marked("b"), marked("a")],
    {},
    { name: "a", remark: expect.stringMatching(/several .*default \(a, b\).*"a" is taken/) },
  ],
  [
    "of two labelled the first by name, and says so",
    [labelled("b"), labelled("a"), marked("c")],
    {},
    { name: "a", remark: expect.stringContaining("(a, b)") },
  ],
  [
    "a name that does not exist is passed over, and says so",
    [of("a")],
    { claim: { [key]: "gone" } },
    { name: "a", remark: expect.stringMatching(/the claim asks for .*"gone", which does not exist/) },
  ],
  [
    "a name of another driver is passed over, and says so",
    [of("a"), of("x", "other")],
    { claim: { [key]: "x" } },
    { name: "a", remark: expect.stringContaining('is of driver "other", not "d"') },
  ],
  ["no class at all", [], {}, { fault: expect.stringContaining('no VolumeSnapshotClass is of driver "d"') }],
  [
    "classes of other drivers only",
    [labelled("x", "true", "other")],
    {},
    { fault: expect.stringContaining("no Vol") },
  ],
  [
    "several and none marked",
    [of("a"), of("b")],
    {},
    { fault: expect.stringMatching(/2 .*\(a, b\).*label/) },
  ],
  ["an empty wish is no wish", [of("a"), labelled("b")], { claim: { [key]: "" } }, { name: "b" }],
])("chooseClass() takes %s", (_name, classes, wishes, want) => {
  expect(chooseClass(classes, { driver: "d", ...wishes })).toEqual(want);
});
