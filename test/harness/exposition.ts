/** A page of metrics, read. */
export interface Exposition {
  readonly types: ReadonlyMap<string, string>;
  readonly samples: ReadonlyMap<string, number>;
}

/** Upstream's own names break the rule that `_total` belongs to counters. */
const odd =
  /^(velero_(backup|restore)_total|velero_backup_items_total|podVolume_pod_volume_backup_(en|de)queue_count)$/;

/** Reads the text format as strictly as `promtool check metrics` does, and throws on what it would complain about. */
export function readExposition(text: string): Exposition {
  const types = new Map<string, string>();
  const samples = new Map<string, number>();
  let helped = "";
  if (text !== "" && !text.endsWith("\n")) throw new Error("the last line does not end");
  for (const line of text.split("\n").slice(0, -1)) {
    const help = /^# HELP ([a-zA-Z_:][\w:]*) (.+)$/.exec(line);
    const type = /^# TYPE ([a-zA-Z_:][\w:]*) (counter|gauge|histogram)$/.exec(line);
    if (help) {
      if (types.has(help[1] ?? "")) throw new Error(`${help[1]} is told twice`);
      helped = help[1] ?? "";
    } else if (type) {
      if (type[1] !== helped) throw new Error(`${type[1]} has no help`);
      types.set(helped, type[2] ?? "");
      if (odd.test(helped)) continue;
      if (type[2] === "counter" && !helped.endsWith("_total")) throw new Error(`${helped} is no _total`);
      if (type[2] !== "counter" && helped.endsWith("_total")) throw new Error(`${helped} is no counter`);
    } else {
      const sample =
        /^([a-zA-Z_:][\w:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*",?)*\})? (-?[\d.e+-]+|\+Inf|NaN)$/.exec(
          line,
        );
      if (!sample) throw new Error(`cannot read: ${line}`);
      const [, name = "", labels = "", value = ""] = sample;
      if (name.replace(/_(bucket|sum|count)$/, "") !== helped && name !== helped) {
        throw new Error(`${name} is in the family ${helped}`);
      }
      if (samples.has(name + labels)) throw new Error(`${name}${labels} is there twice`);
      samples.set(name + labels, value === "+Inf" ? Infinity : Number(value));
    }
  }
  return { types, samples };
}
