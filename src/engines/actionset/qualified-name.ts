const part = /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/;
const domain = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

/** Why a text is no key of a label or annotation; undefined when it is one. */
export function keyFault(key: string): string | undefined {
  const [name = "", prefix, ...more] = key.split("/").toReversed();
  if (more.length > 0) return `key "${key}" has more than one "/"`;
  if (prefix !== undefined && (prefix.length > 253 || !domain.test(prefix))) {
    return `key "${key}" begins with "${prefix}", which is no domain`;
  }
  return name.length <= 63 && part.test(name) ? undefined : `key "${key}" is no qualified name`;
}

/** Why a text is no value of a label; undefined when it is one. */
export function labelFault(value: string): string | undefined {
  return value === "" || (value.length <= 63 && part.test(value))
    ? undefined
    : `"${value}" is no label value`;
}
