import { expect, test } from "vitest";
import { allFamilies } from "../../src/server/families.ts";
import { alerts } from "./alerts.ts";
import { dashboard } from "./dashboard.ts";

/** Every series that there is, with the labels that it has. */
const series = new Map(
  allFamilies.flatMap(({ name, type, labels }) =>
    type === "histogram"
      ? ["_bucket", "_sum", "_count"].map((end) => [name + end, [...labels, "le"]] as const)
      : [[name, labels] as const],
  ),
);

/** What an expression asks for: names of series, and the labels it selects, groups and legends by. */
function askedBy(expr: string): { names: string[]; labels: string[] } {
  const names = [...expr.matchAll(/\b(?:headway|velero|podVolume)_\w+/g)].map(([name]) => name);
  const selected = [...expr.matchAll(/\{([^}]*)\}/g)].flatMap(([, inner = ""]) =>
    [...inner.matchAll(/(\w+)\s*(?:=~|!=|!~|=)/g)].map(([, label = ""]) => label),
  );
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, inner = ""]) => inner.split(/,\s*/));
  return { names, labels: [...selected, ...grouped] };
}

const panels = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr, legendFormat = "" }) => ({
    what: title,
    expr,
    used: [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label),
  })),
);
const rules = alerts.groups.flatMap(({ rules: all }) =>
  all.map(({ alert, expr, annotations }) => ({
    what: alert,
    expr,
    used: [...JSON.stringify(annotations).matchAll(/\$labels\.(\w+)/g)].map(([, label = ""]) => label),
  })),
);

test.each([...panels, ...rules])("$what asks for series and labels that there are", ({ expr, used }) => {
  const { names, labels } = askedBy(expr);
  expect(names.length).toBeGreaterThan(0);
  const known = new Set<string>();
  for (const name of names) {
    expect([...series.keys()]).toContain(name);
    for (const label of series.get(name) ?? []) known.add(label);
  }
  for (const label of [...labels, ...used]) expect([...known]).toContain(label);
});

test("askedBy() sees what is not there", () => {
  expect(askedBy('sum by (le, b) (rate(headway_x{kind=~"a"}[1d])) / velero_y')).toEqual({
    names: ["headway_x", "velero_y"],
    labels: ["kind", "le", "b"],
  });
});

test("the board's panels have their own ids and do not overlap", () => {
  const places = dashboard.panels.map(({ id, gridPos }) => ({ id, ...gridPos }));
  expect(new Set(places.map(({ id }) => id)).size).toBe(places.length);
  for (const a of places) {
    expect(a.x + a.w).toBeLessThanOrEqual(24);
    for (const b of places) {
      const apart = a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;
      if (a.id !== b.id) expect(apart, `${a.id} and ${b.id}`).toBe(true);
    }
  }
});

test("six alerts, each with words and a place to read on", () => {
  expect(rules).toHaveLength(6);
  for (const { rules: all } of alerts.groups) {
    for (const { annotations, labels } of all) {
      expect(annotations.summary).not.toBe("");
      expect(annotations.runbook).toMatch(/#headway[a-z]+$/);
      expect(["warning", "critical"]).toContain(labels.severity);
    }
  }
});
