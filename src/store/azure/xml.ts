/** The inner texts of all elements of this name, in order; Azure's answers nest no element in one of the same name. */
export function elements(xml: string, name: string): string[] {
  const pattern = new RegExp(`<${name}(?:\\s[^>]*)?(?:/>|>([^]*?)</${name}>)`, "g");
  return [...xml.matchAll(pattern)].map(([, inner = ""]) => inner);
}

/** The text of the first element of this name; undefined when there is none. */
export function textOf(xml: string, name: string): string | undefined {
  const [inner] = elements(xml, name);
  return inner === undefined ? undefined : unescaped(inner);
}

/** The name of a blob or of a folder; one with characters that XML cannot hold comes percent-encoded. */
export function nameOf(xml: string): string {
  const name = textOf(xml, "Name") ?? "";
  return /<Name Encoded="true">/.test(xml) ? decodeURIComponent(name) : name;
}

const named: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

function unescaped(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(lt|gt|amp|quot|apos));/gi, (whole, dec, hex, name) => {
    if (typeof name === "string") return named[name.toLowerCase()] ?? whole;
    const code = typeof dec === "string" ? Number(dec) : Number.parseInt(String(hex), 16);
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
  });
}
