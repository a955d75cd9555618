import { expect, test } from "vitest";
import { Findings, findingPlace, logLine } from "./findings.ts";

test("Findings keep a bounded number of sentences by place, and count all of them", () => {
  const findings = new Findings();
  findings.add("velero", "lost");
  findings.add(findingPlace(undefined), "refused");
  for (let n = 0; n < 2_500; n += 1) findings.add(findingPlace("shop"), `item ${n}`);
  expect(findings.count).toBe(2_502);
  const { velero, cluster, namespaces } = findings.result();
  expect(velero).toEqual(["lost", "and 502 more, see the log"]);
  expect(cluster).toEqual(["refused"]);
  expect(namespaces?.["shop"]).toHaveLength(1_998);
  expect(new Findings().result()).toEqual({});
});

test("logLine() quotes the message and leaves out what is unknown", () => {
  const fields = [
    ["backup", "velero/b"],
    ["error", undefined],
    ["namespace", "shop"],
  ] as const;
  expect(logLine(0, "warning", 'it "differs"\n', fields)).toBe(
    'time="1970-01-01T00:00:00Z" level=warning msg="it \\"differs\\"\\n" backup=velero/b namespace=shop\n',
  );
});
