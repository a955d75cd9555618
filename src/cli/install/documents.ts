import { stringify } from "yaml";

/** Objects as one YAML text. */
export function documents(manifests: readonly object[]): string {
  return manifests.map(yaml).join("---\n");
}

/** One object as YAML. */
export function yaml(value: unknown): string {
  // Parts are shared between objects; anchors would make the text unreadable.
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 });
}
