import type { Budget } from "../budget.ts";
import { fromBytes, joined, runeText, toBytes } from "../text.ts";
import {
  isDigit,
  isLetter,
  isLower,
  isSpace,
  isTitle,
  isUpper,
  mapRunes,
  toLower,
  toTitle,
  toUpper,
} from "../unicode.ts";

/** goutils.AbbreviateFull, which counts bytes. */
export function abbreviate(text: string, offset: number, width: number): string {
  const bytes = toBytes(text);
  const size = bytes.length;
  const part = (from: number, to: number) => fromBytes(bytes.subarray(from, to));
  if (text === "" || width < 4) return "";
  if (size <= width) return text;
  let from = Math.min(offset, size);
  if (size - from < width - 3) from = size - (width - 3);
  if (from <= 4) return joined(`${part(0, width - 3)}...`);
  if (width < 7) return "";
  if (from + width - 3 < size) return joined(`...${abbreviate(part(from, size), 0, width - 3)}`);
  return joined(`...${part(size - (width - 3), size)}`);
}

/** goutils.WrapCustom, which counts bytes. */
export function wrapText(
  text: string,
  width: number,
  newline: string,
  cutWords: boolean,
  budget: Budget,
): string {
  if (text === "") return "";
  const bytes = toBytes(text);
  const line = newline === "" ? "\n" : newline;
  const least = Math.max(width, 1);
  const space = 32;
  let out = "";
  let at = 0;
  const take = (to: number) => {
    out += fromBytes(bytes.subarray(at, to));
  };
  while (bytes.length - at > least) {
    budget.grow(out.length, 16);
    if (bytes[at] === space) {
      at += 1;
      continue;
    }
    const last = bytes.subarray(at, at + least + 1).lastIndexOf(space);
    // goutils adds the offset to a miss of -1, so that a miss is only seen as one before the offset.
    if (last >= 0) {
      take(at + last);
      out += line;
      at += last + 1;
    } else if (cutWords) {
      take(at + least);
      out += line;
      at += least;
    } else {
      const next = bytes.indexOf(space, at + least);
      if (next < 0) {
        take(bytes.length);
        at = bytes.length;
      } else {
        take(next);
        out += line;
        at = next + 1;
      }
    }
  }
  take(bytes.length);
  return joined(out);
}

/** The first letter of each word changed. */
export function eachWord(text: string, change: (code: number) => number): string {
  let first = true;
  return mapRunes(text, (code) => {
    if (isSpace(code)) {
      first = true;
      return code;
    }
    const mapped = first ? change(code) : code;
    first = false;
    return mapped;
  });
}

/** Go's strings.Title: a letter after what is neither letter, digit nor underscore. */
export function titleCase(text: string): string {
  let before = 32;
  return mapRunes(text, (code) => {
    const starts = isSeparator(before);
    before = code;
    return starts ? toTitle(code) : code;
  });
}

function isSeparator(code: number): boolean {
  if (code < 0x80) return !/[0-9A-Za-z_]/.test(String.fromCharCode(code));
  return isLetter(code) || isDigit(code) ? false : isSpace(code);
}

/** goutils.SwapCase. */
export function swapCase(text: string): string {
  let afterSpace = true;
  return mapRunes(text, (code) => {
    if (isUpper(code) || isTitle(code)) {
      afterSpace = false;
      return toLower(code);
    }
    if (isLower(code)) {
      const mapped = afterSpace ? toTitle(code) : toUpper(code);
      afterSpace = false;
      return mapped;
    }
    afterSpace = isSpace(code);
    return code;
  });
}

/** goutils.Initials, which takes bytes for characters. */
export function initials(text: string): string {
  let gap = true;
  let out = "";
  for (const byte of toBytes(text)) {
    if (isSpace(byte)) gap = true;
    else if (gap) {
      out += runeText(byte);
      gap = false;
    }
  }
  return out;
}

/** goutils.DeleteWhiteSpace, which takes bytes for characters. */
export function deleteSpace(text: string): string {
  const bytes = [...toBytes(text)];
  const kept = bytes.filter((byte) => !isSpace(byte));
  return kept.length === bytes.length ? text : kept.map(runeText).join("");
}
