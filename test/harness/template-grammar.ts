import fc from "fast-check";

/** What random templates are about; both sides get it as JSON. */
export const fuzzData = {
  n: 42,
  f: 3.75,
  big: 1_000_000,
  neg: -7,
  zero: 0,
  tiny: 1e-7,
  s: "hello wörld",
  e: "",
  t: true,
  no: false,
  nil: null,
  l: [1, "two", 3.5, null, true, ["in"]],
  el: [],
  m: { b: 2, a: "x", c: { d: "deep", é: [1, 2] } },
  em: {},
  names: ["bob", "Alice", "carol", "bob"],
  objs: [
    { name: "x", v: 1 },
    { name: "y", v: 2.5 },
  ],
  u: "héé ☃ 𝄞 ß",
  html: "<a b=\"c\">'&'",
  num: "17",
  ver: "1.2.3-rc.1+b5",
  when: "2024-02-29T23:59:58.123456789Z",
};

type Func = readonly [name: string, params: string, out: Kind];
type Kind = "any" | "string" | "int" | "bool" | "dict" | "list" | "time" | "float";

/** Functions that give the same in both worlds: parameters, then what comes out. A star repeats the last parameter. */
const functions: readonly Func[] = `
  abbrev(int string) string ; abbrevboth(int int string) string ; trunc(int string) string ;
  trim(string) string ; upper(string) string ; lower(string) string ; title(string) string ;
  untitle(string) string ; substr(int int string) string ; repeat(int string) string ;
  trimAll(string string) string ; trimSuffix(string string) string ; trimPrefix(string string) string ;
  nospace(string) string ; initials(string) string ; swapcase(string) string ; snakecase(string) string ;
  camelcase(string) string ; kebabcase(string) string ; wrap(int string) string ;
  wrapWith(int string string) string ; contains(string string) bool ; hasPrefix(string string) bool ;
  hasSuffix(string string) bool ; quote(any*) string ; squote(any*) string ; cat(any*) string ;
  indent(int string) string ; nindent(int string) string ; replace(string string string) string ;
  plural(string string int) string ; toString(any) string ; toStrings(list) list ; join(string list) string ;
  split(string string) any ; splitn(string int string) any ; splitList(string string) list ;
  list(any*) list ; append(list any) list ; prepend(list any) list ; first(list) any ; last(list) any ;
  rest(list) list ; initial(list) list ; reverse(list) list ; compact(list) list ; uniq(list) list ;
  without(list any*) list ; has(any list) bool ; concat(list*) list ; sortAlpha(list) list ;
  until(int) list ; untilStep(int int int) list ; dict(string any) dict ; set(dict string string) dict ;
  unset(dict string) dict ; hasKey(dict string) bool ; pluck(string dict*) list ; pick(dict string*) dict ;
  omit(dict string*) dict ; merge(fresh dict) dict ; mergeOverwrite(fresh dict) dict ; deepCopy(any) any ;
  deepEqual(any any) bool ; default(any any) any ; empty(any) bool ; coalesce(any*) any ;
  ternary(any any bool) any ; toJson(any) string ; toPrettyJson(any) string ; typeOf(any) string ;
  kindOf(any) string ; kindIs(string any) bool ; add(any*) any ; add1(any) any ; sub(any any) any ;
  mul(any any) any ; div(any any) any ; mod(any any) any ; max(any any*) any ; min(any any*) any ;
  int(any) any ; int64(any) any ; float64(any) float ; ceil(any) float ; floor(any) float ;
  round(any int) float ; atoi(string) any ; toDecimal(any) any ; b64enc(string) string ;
  b64dec(string) string ; b32enc(string) string ; b32dec(string) string ; sha256sum(string) string ;
  sha1sum(string) string ; adler32sum(string) string ; base(string) string ; dir(string) string ;
  clean(string) string ; ext(string) string ; isAbs(string) bool ; print(any*) string ;
  println(any*) string ; html(any*) string ; js(any*) string ; urlquery(any*) string ; len(any) any ;
  index(list int) any ; index(dict string) any ; slice(list int int) list ; not(any) bool ;
  and(any any*) any ; or(any any*) any ; eq(any any) bool ; ne(any any) bool ; lt(any any) bool ;
  le(any any) bool ; gt(any any) bool ; ge(any any) bool ; unixEpoch(time) string ;
  date(layout time) string ; dateInZone(layout time zone) string ; dateModify(duration time) time ;
  regexMatch(regex string) bool ; regexFind(regex string) string ; regexFindAll(regex string int) list ;
  regexReplaceAll(regex string replacement) string ; regexSplit(regex string int) list ;
  semverCompare(constraint version) bool ; semver(version) any ; urlParse(url) dict
`
  .split(";")
  .map((one) => {
    const [, name = "", params = "", out = ""] = /^(\w+)\((.*)\) (\w+)$/.exec(one.trim()) ?? [];
    return [name, params, out as Kind];
  });

const quoted = (text: string): string => JSON.stringify(text);
const oneOf = <T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const joined = (part: fc.Arbitrary<string>, maxLength: number): fc.Arbitrary<string> =>
  fc.array(part, { maxLength }).map((parts) => parts.join(""));

const words = joined(
  oneOf(
    "a",
    "B",
    "é",
    " ",
    "-",
    "_",
    "x1",
    "\n",
    "\t",
    "☃",
    "ABc",
    "/",
    ".",
    ",",
    "=",
    "<",
    "Zz",
    "9",
    "%",
    "$1",
    "ß",
    "🙂",
  ),
  6,
);
const regexes = joined(
  oneOf(
    "a",
    "b",
    "é",
    ".",
    "\\d",
    "\\w",
    "\\s",
    "[a-z]",
    "[^b]",
    "(a|b)",
    "(l+)",
    "(?:x)",
    "*",
    "+",
    "?",
    "{1,2}",
    "^",
    "$",
    "|",
    "\\b",
    "(?i)",
    "*?",
    "o",
    "[[:upper:]]",
    "\\pL",
  ),
  5,
);
const layouts = joined(
  oneOf(
    "2006",
    "01",
    "02",
    "15",
    "04",
    "05",
    ".000",
    ".999",
    "Jan",
    "January",
    "Mon",
    "Monday",
    "MST",
    "-0700",
    "Z07:00",
    "PM",
    "3",
    "_2",
    "002",
    " ",
    "-",
    ":",
    "T",
    "06",
    "1",
    "2",
    "4",
    "5",
  ),
  6,
);
const versions = oneOf(
  "1.2.3",
  "v1.2",
  "1",
  "1.2.3-rc.1",
  "1.2.3-rc.10+m",
  "2.0.0",
  "0.3.1",
  "x",
  "1.2.3.4",
  "0.0.0",
);
const constraints = fc
  .tuple(
    oneOf("", "=", "!=", ">", "<", ">=", "<=", "~", "^", "~>"),
    oneOf("1.2.3", "1.2", "1", "1.x", "*", "0.3.0", "2.0.0-rc.1", "1.2.x"),
  )
  .map((parts) => parts.join(""));

/** Parameters that are expressions of their own: maps that cannot end up within themselves, which would end Go. */
const fresh = oneOf(
  "(dict)",
  '(dict "a" 1)',
  '(dict "b" (dict "x" 1) "c" (list))',
  '(dict "a" "" "b" (list 1) "c" nil)',
);

const special: Readonly<Record<string, fc.Arbitrary<string>>> = {
  regex: regexes,
  layout: layouts,
  version: versions,
  constraint: constraints,
  zone: oneOf("UTC", "America/New_York", "Europe/Berlin", "Asia/Kolkata", "Nope"),
  duration: oneOf("1h", "-90m", "1.5s", "bad", "24h1ns"),
  replacement: oneOf("x", "$1", "${1}y", "$0$0", "$$", "", "$1x"),
  url: oneOf("http://a.b/c?d=e#f", "x:y", "/p/q", "http://u:p@h:1/%41", "%", "//h", "a b"),
};

const numbers = oneOf(
  "0",
  "1",
  "-1",
  "2",
  "3.5",
  "1e6",
  "0x1F",
  "-2.25",
  "1e-7",
  "'a'",
  "100000",
  "123456.789",
  "9223372036854775807",
  "0.1",
  "1e21",
);
const leaves: Readonly<Record<Kind, fc.Arbitrary<string>>> = {
  string: fc.oneof(words.map(quoted), oneOf(".s", ".e", ".u", ".html", ".num", ".when", ".m.a", ".m.c.d")),
  int: oneOf("0", "1", "2", "3", "5", "8", "-1", "(len .s)", "(int .n)"),
  bool: oneOf("true", "false", ".t", ".no"),
  dict: oneOf(
    ".m",
    ".em",
    ".m.c",
    "(dict)",
    '(dict "a" 1)',
    "(index .objs 0)",
    '(dict "b" (dict "x" 1) "c" (list))',
  ),
  list: oneOf(
    ".l",
    ".el",
    ".names",
    ".objs",
    "(list 1 2)",
    "(until 3)",
    '(splitList "," "a,b,a")',
    "(list nil 0 1.5)",
  ),
  time: oneOf(
    '(toDate "2006-01-02T15:04:05.999999999Z07:00" .when)',
    '(toDate "2006-01-02" "1999-12-31")',
    '(toDate "x" "y")',
  ),
  float: oneOf("1.5", ".f", ".big", ".tiny", ".neg"),
  any: fc.oneof(
    numbers,
    oneOf(
      "nil",
      ".n",
      ".f",
      ".big",
      ".neg",
      ".zero",
      ".nil",
      ".missing",
      ".missing.x",
      ".nil.x",
      ".s",
      ".l",
      ".m",
      ".t",
      "$",
      ".s.x",
    ),
  ),
};

const verbs = fc
  .tuple(
    oneOf("", "+", "-", "#", "0", " ", "+0", "-#", "# "),
    oneOf("", "1", "5", "12"),
    oneOf("", ".", ".0", ".2", ".8"),
    oneOf(...Array.from("vdsqxXobOUcteEfgGT")),
  )
  .map((parts) => `%${parts.join("")}`);

/** An expression that should have a kind; one in eight has any other. */
function expression(kind: Kind, depth: number): fc.Arbitrary<string> {
  // What is no time means now, which differs.
  if (depth === 0 && kind === "time") return leaves.time;
  // A huge count is a matter of limits, not of rendering.
  if (depth === 0 && kind === "int")
    return fc.oneof(
      { weight: 8, arbitrary: leaves.int },
      { weight: 1, arbitrary: oneOf(".n", "nil", ".s", "1.5") },
    );
  if (depth === 0)
    return fc.oneof({ weight: 8, arbitrary: leaves[kind] }, { weight: 1, arbitrary: leaves.any });
  const fitting = functions.filter(([, , out]) => out === kind || (kind === "any" && out !== "time"));
  const calls =
    fitting.length === 0
      ? []
      : [
          {
            weight: 5,
            arbitrary: fc
              .constantFrom(...fitting)
              .chain((one) => call(one, depth - 1))
              .map((text) => `(${text})`),
          },
        ];
  return fc.oneof({ weight: 4, arbitrary: expression(kind, 0) }, ...calls);
}

function call([name, params]: Func, depth: number): fc.Arbitrary<string> {
  const args = params.split(" ").map((param) => {
    const kind = param.replace("*", "");
    const fixed = special[kind];
    const one =
      kind === "fresh" ? fresh : fixed === undefined ? expression(kind as Kind, depth) : fixed.map(quoted);
    return param.endsWith("*") ? fc.array(one, { maxLength: 3 }).map((all) => all.join(" ")) : one;
  });
  return fc.tuple(...args).map((texts) => [name, ...texts].filter((text) => text !== "").join(" "));
}

const anyCall = (depth: number): fc.Arbitrary<string> =>
  fc.constantFrom(...functions).chain((one) => call(one, depth));
const printf = fc
  .tuple(
    fc.array(fc.oneof(verbs, words), { minLength: 1, maxLength: 3 }),
    fc.array(expression("any", 1), { maxLength: 3 }),
  )
  .map(([format, args]) => `printf ${quoted(format.join(""))} ${args.join(" ")}`);

function node(depth: number): fc.Arbitrary<string> {
  const action = fc
    .tuple(
      oneOf("{{", "{{- ", "{{ "),
      fc.oneof(anyCall(2), printf, expression("any", 1), piped),
      oneOf("}}", " -}}", " }}"),
    )
    .map((parts) => parts.join(""));
  const text = words.filter((word) => !word.includes("{"));
  if (depth === 0) return fc.oneof(text, action);
  const body = list(depth - 1);
  const branch = fc
    .tuple(oneOf("if", "with"), expression("any", 1), body, body)
    .map(([word, condition, yes, no]) => `{{${word} ${condition}}}${yes}{{else}}${no}{{end}}`);
  const range = fc
    .tuple(
      fc.oneof(expression("list", 1), leaves.dict, oneOf("3", ".n", ".nil", ".s")),
      oneOf("", "$i, $v := ", "$v := "),
      body,
      oneOf("", "{{break}}", "{{if .}}{{continue}}{{end}}"),
    )
    .map(
      ([over, variables, inner, jump]) =>
        `{{range ${variables}${over}}}${variables === "" ? "{{.}}" : "{{$v}}"}${jump}${inner}{{else}}none{{end}}`,
    );
  const variable = fc
    .tuple(expression("any", 1), body)
    .map(([value, inner]) => `{{$x := ${value}}}${inner}{{$x}}{{$x = 1}}{{$x}}`);
  return fc.oneof({ weight: 4, arbitrary: action }, { weight: 2, arbitrary: text }, branch, range, variable);
}

const piped = fc
  .tuple(
    expression("any", 1),
    oneOf("print", "toString", "quote", "upper", "len", "toJson", "default 1", "add 1", 'printf "%v|%T" 1'),
  )
  .map((parts) => parts.join(" | "));

function list(depth: number): fc.Arbitrary<string> {
  return fc.array(node(depth), { maxLength: 3 }).map((parts) => parts.join(""));
}

/** Random templates of the language and of every function that gives the same each time. */
export const templates: fc.Arbitrary<string> = fc
  .array(node(2), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join(""));
