/** Lists that Kubernetes merges element by element, and the field that tells elements apart. */
const mergeKeys: Readonly<Record<string, string>> = {
  containers: "name",
  initContainers: "name",
  ephemeralContainers: "name",
  volumes: "name",
  env: "name",
  volumeMounts: "mountPath",
  volumeDevices: "devicePath",
  imagePullSecrets: "name",
  hostAliases: "ip",
  topologySpreadConstraints: "topologyKey",
  secrets: "name",
  conditions: "type",
  ownerReferences: "uid",
  webhooks: "name",
};
/** Lists of plain values that are joined. */
const joined = new Set(["finalizers"]);

/** The object after a strategic merge patch, with the list rules of the built-in kinds. */
export function applyStrategicPatch(target: unknown, patch: unknown, field = ""): unknown {
  if (!isRecord(patch)) return Array.isArray(patch) ? mergeList(target, patch, field) : patch;
  const directive = patch["$patch"];
  const fresh = without(patch, "$patch", "$retainKeys");
  if (directive === "replace") return clean(fresh);
  const retain = patch["$retainKeys"];
  const base = isRecord(target) ? target : {};
  const fields = new Map(
    Object.entries(base).filter(([key]) => !Array.isArray(retain) || retain.includes(key)),
  );
  for (const [key, value] of Object.entries(fresh)) {
    if (key.startsWith("$setElementOrder/")) continue; // order of a list whose elements are merged in place
    if (key.startsWith("$deleteFromPrimitiveList/")) {
      const name = key.slice("$deleteFromPrimitiveList/".length);
      const gone = Array.isArray(value) ? value : [];
      const list = fields.get(name);
      if (Array.isArray(list))
        fields.set(
          name,
          list.filter((one) => !gone.some((other) => same(one, other))),
        );
    } else if (value === null) fields.delete(key);
    else fields.set(key, applyStrategicPatch(fields.get(key), value, key));
  }
  return Object.fromEntries(fields);
}

function mergeList(target: unknown, patch: readonly unknown[], field: string): unknown {
  const have = Array.isArray(target) ? target : [];
  const key = keyOf(field, patch);
  if (key === undefined) {
    return joined.has(field)
      ? [...have, ...patch.filter((one) => !have.some((other) => same(one, other)))]
      : patch;
  }
  if (patch.some((one) => isRecord(one) && one["$patch"] === "replace" && Object.keys(one).length === 1)) {
    return patch.filter((one) => !(isRecord(one) && one["$patch"] === "replace")).map(clean);
  }
  let result: unknown[] = [...have];
  for (const one of patch) {
    if (!isRecord(one)) continue;
    const at = result.findIndex((other) => isRecord(other) && same(own(other, key), own(one, key)));
    if (one["$patch"] === "delete") result = result.filter((_, index) => index !== at);
    else if (at === -1) result.push(clean(one));
    else result[at] = applyStrategicPatch(result[at], one);
  }
  return result;
}

/** Ports of containers and of services have different keys under the same name. */
function keyOf(field: string, patch: readonly unknown[]): string | undefined {
  if (field !== "ports") return Object.hasOwn(mergeKeys, field) ? mergeKeys[field] : undefined;
  return patch.some((one) => isRecord(one) && Object.hasOwn(one, "containerPort")) ? "containerPort" : "port";
}

function clean(value: unknown): unknown {
  return isRecord(value) ? applyStrategicPatch({}, without(value, "$patch")) : value;
}

type Json = Readonly<Record<string, unknown>>;

/** Numbers that were kept as text are values, not objects. */
function isRecord(value: unknown): value is Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const json: unknown = JSON;
  return !(json as { isRawJSON(value: object): boolean }).isRawJSON(value); // newer than the types
}

function own(object: Json, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Elements of lists are told apart by texts and numbers, kept as text or not. */
function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

function without(object: Json, ...keys: readonly string[]): Json {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}
