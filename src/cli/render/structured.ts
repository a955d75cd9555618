/** JSON or YAML for scripts; the same value either way. */
export async function structured(value: unknown, format: string): Promise<string> {
  if (format === "yaml") {
    const { stringify } = await import("yaml");
    return stringify(value, { aliasDuplicateObjects: false });
  }
  return `${JSON.stringify(value, null, 2)}\n`;
}
