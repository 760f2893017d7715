package program
import ("testing";"strings";"time")
func TestZZ(t *testing.T) {
	for n, s := range map[string]string{
		"fn": strings.Repeat("function f(){",180)+strings.Repeat("}",180),
		"arrow": strings.Repeat("x=>{",180)+strings.Repeat("}",180),
		"comma": strings.Repeat("a,",20000)+"a",
		"lt": strings.Repeat("a<",990)+"a",
		"arrows": strings.Repeat("()=>",490)+"1",
		"class": strings.Repeat("class A{m(){",90)+strings.Repeat("}}",90),
		"wide": strings.Repeat("f(1);",50000),
		"widefn": strings.Repeat("function f(){};",15000),
		"args": "f("+strings.Repeat("a,",100000)+"a)",
		"paren": strings.Repeat("(a=(",95)+"1"+strings.Repeat("))",95),
		"stmt": strings.Repeat("if(a){",180)+strings.Repeat("}",180),
		"lines": strings.Repeat("x = 'é😀' + y\n",18000),
		"tern": strings.Repeat("a?(b)=>c:",200)+"1",
		"tern2": strings.Repeat("a?(b,",150)+"1"+strings.Repeat("):c",150),
		"tmpl": "`"+strings.Repeat("a\n",120000)+"`",
		"re": strings.Repeat(`/\p{L}/u;`,10000),
	} {
		t0 := time.Now()
		_, err := Compile(Source{Text: s})
		t.Log(n, len(s), time.Since(t0).Round(time.Millisecond), err != nil)
	}
}
