import { Renderer, TemplateError } from "../../../packages/template/index.ts";
import { nodeCrypto } from "../../../packages/template/on-node.ts";
import { fuzzData } from "../../harness/template-grammar.ts";
import { mutateText } from "../bytes.ts";
import { hostileText } from "../json.ts";
import { target } from "../target.ts";

/** What a rendering may take here: a tenth of the usual, so that none comes near the limit of a case. */
const limits = { maxSteps: 200_000, maxOutput: 200_000, maxMs: 1_000 };
export const renderer = new Renderer({
  limits,
  ports: { nowMs: () => performance.now(), crypto: nodeCrypto },
  cacheSize: 50,
});

const samples = [
  "{{ range $i, $v := .l }}{{ $i }}={{ $v | toString | quote }}{{ else }}none{{ end }}",
  "{{ with .m.c }}{{ .d | upper | trunc 3 }}{{ end }}{{- /* a */ -}}",
  '{{ define "t" }}{{ . }}{{ template "t" . }}{{ end }}{{ template "t" .n }}',
  '{{ printf "%-10.3f|%+v|%#x|%q" .f .m .s .u }}',
  '{{ index .m "c" "d" }}{{ slice .s 1 3 }}{{ len .names }}',
  '{{ toDate "2006-01-02" "2024-02-29" | date "Mon Jan _2 15:04:05 2006" }}{{ dateInZone "2006" .when "Europe/Berlin" }}',
  '{{ regexReplaceAll "(a+)b" "aaab" "${1}x" }}{{ semverCompare "^1.2" .ver }}',
  '{{ $x := dict "a" (list 1 2) }}{{ $_ := set $x "b" $x }}{{ $x.a }}{{ toJson .objs }}',
  '{{ if and (eq .n 42) (not .no) }}{{ repeat 5 "ab" }}{{ else if .t }}{{ until 5 | join "," }}{{ end }}',
  '{{ b64enc .s | b64dec }}{{ sha256sum .s }}{{ urlParse "http://u:p@h/p?q#f" }}{{ wrap 5 .s }}{{ 9223372036854775807 | add1 }}',
  '{{ derivePassword 1 "long" "a" "b" "c" }}{{ encryptAES "k" "v" | decryptAES "k" }}{{ genPrivateKey "rsa" }}{{ randAlphaNum 5 }}',
  "{{ 0x1p-2 }}{{ 1_000i }}{{ '\\x41' }}{{ `raw` }}{{ \"\\u00e9\\n\" }}{{ .l.x.y }}{{ nil }}{{ (.m).c.d }}",
];

export const templateTexts = target<string>({
  name: "templates",
  covers:
    "templates that were broken: the lexer, the parser and the evaluation with every function, within their limits",
  make(random) {
    const text = mutateText(random, random.of(samples), random.of(samples));
    return random.oneIn(10) ? `{{ ${hostileText(random)} | ${hostileText(random)} }}` : text;
  },
  run(text) {
    renderer.render(text, structuredClone(fuzzData));
    renderer.references(text);
  },
  refusals: [TemplateError],
});
