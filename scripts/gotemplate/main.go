// Renders templates with the real text/template and sprig, as the reference for packages/template.
//
//	gotemplate serve                       NDJSON {id, template, data, missingkey} in, {id, output} or {id, error} out
//	gotemplate corpus CASES-DIR OUT.json   writes the golden corpus
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
)

type request struct {
	ID         json.RawMessage `json:"id,omitempty"`
	Template   string          `json:"template"`
	Data       json.RawMessage `json:"data"`
	MissingKey string          `json:"missingkey"`
}

type answer struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Output *string         `json:"output,omitempty"`
	Error  string          `json:"error,omitempty"`
}

func render(text string, data any, missingKey string) (out string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	t := template.New("template").Funcs(sprig.TxtFuncMap())
	if missingKey != "" {
		t = t.Option("missingkey=" + missingKey)
	}
	if t, err = t.Parse(text); err != nil {
		return "", err
	}
	var buffer bytes.Buffer
	if err = t.Execute(&buffer, data); err != nil {
		return "", err
	}
	return buffer.String(), nil
}

func decode(raw json.RawMessage) (any, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var data any
	err := json.Unmarshal(raw, &data)
	return data, err
}

func encoder(out *bufio.Writer) *json.Encoder {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	return e
}

func serve() error {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 1<<28)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	e := encoder(out)
	for in.Scan() {
		var r request
		a := answer{}
		err := json.Unmarshal(in.Bytes(), &r)
		if err == nil {
			a.ID = r.ID
			var data any
			if data, err = decode(r.Data); err == nil {
				var text string
				if text, err = render(r.Template, data, r.MissingKey); err == nil {
					a.Output = &text
				}
			}
		}
		if err != nil {
			a.Error = err.Error()
		}
		if err := e.Encode(a); err != nil {
			return err
		}
		// Whoever waits for an answer gets it before sending more.
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return in.Err()
}

// A golden case; the line in the cases file is the template, with ⏎ for a newline and ⇥ for a tab.
type golden struct {
	Group      string  `json:"group"`
	Template   string  `json:"template"`
	Data       string  `json:"data,omitempty"`
	MissingKey string  `json:"missingkey,omitempty"`
	Want       *string `json:"want,omitempty"`
	Error      string  `json:"error,omitempty"`
}

type corpusFile struct {
	About string          `json:"about"`
	Data  json.RawMessage `json:"data"`
	Cases []golden        `json:"cases"`
}

func corpus(dir, target string) error {
	raw, err := os.ReadFile(filepath.Join(dir, "data.json"))
	if err != nil {
		return err
	}
	var sets map[string]json.RawMessage
	if err := json.Unmarshal(raw, &sets); err != nil {
		return err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		return err
	}
	file := corpusFile{About: "made by scripts/gotemplate with Go's text/template and sprig v2.22.0; do not edit", Data: compact.Bytes()}
	names, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return err
	}
	sort.Strings(names)
	for _, name := range names {
		cases, err := readCases(name, sets)
		if err != nil {
			return err
		}
		file.Cases = append(file.Cases, cases...)
	}
	return write(target, file)
}

func readCases(name string, sets map[string]json.RawMessage) ([]golden, error) {
	raw, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	base := strings.TrimSuffix(filepath.Base(name), ".txt")
	group, set, missing := base, "", ""
	var out []golden
	for _, line := range strings.Split(string(raw), "\n") {
		switch {
		case line == "" || strings.HasPrefix(line, "//"):
		case strings.HasPrefix(line, "## "):
			group, set, missing = base+"/"+line[3:], "", ""
		case strings.HasPrefix(line, "@data "):
			set = line[6:]
		case strings.HasPrefix(line, "@missingkey"):
			missing = strings.TrimSpace(strings.TrimPrefix(line, "@missingkey"))
		default:
			text := strings.NewReplacer("⏎", "\n", "⇥", "\t").Replace(line)
			c := golden{Group: group, Template: text, Data: set, MissingKey: missing}
			data, err := decode(sets[set])
			if err != nil {
				return nil, err
			}
			if rendered, err := render(text, data, missing); err != nil {
				c.Error = err.Error()
			} else {
				c.Want = &rendered
			}
			out = append(out, c)
		}
	}
	return out, nil
}

// One case a line, so that a change shows as the lines that changed.
func write(target string, file corpusFile) error {
	f, err := os.Create(target)
	if err != nil {
		return err
	}
	defer f.Close()
	out := bufio.NewWriter(f)
	line := func(v any) string {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			panic(err)
		}
		return strings.TrimSuffix(b.String(), "\n")
	}
	fmt.Fprintf(out, "{\"about\": %s,\n\"data\": %s,\n\"cases\": [\n", line(file.About), file.Data)
	for i, c := range file.Cases {
		comma := ","
		if i == len(file.Cases)-1 {
			comma = ""
		}
		fmt.Fprintf(out, "%s%s\n", line(c), comma)
	}
	fmt.Fprint(out, "]}\n")
	return out.Flush()
}

func main() {
	var err error
	switch {
	case len(os.Args) == 2 && os.Args[1] == "serve":
		err = serve()
	case len(os.Args) == 4 && os.Args[1] == "corpus":
		err = corpus(os.Args[2], os.Args[3])
	default:
		err = fmt.Errorf("usage: gotemplate serve | gotemplate corpus CASES-DIR OUT.json")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gotemplate:", err)
		os.Exit(1)
	}
}
