package locale

// currency returns what stands before and after an amount.
func (f *NumberFormat) currency(one bool) (before, after []Part) {
	code := f.Currency
	if f.CurrencyDisplay == "name" {
		name, ok := currencyNames[code]
		text := name.many
		if one {
			text = name.one
		}
		if !ok || !f.locale.English {
			text = code
		}
		return nil, []Part{{"literal", " "}, {"currency", text}}
	}
	symbol := code
	switch f.CurrencyDisplay {
	case "code":
	case "narrowSymbol":
		symbol = narrowSymbol(code)
	default:
		symbol = f.locale.symbol(code)
	}
	if f.locale.suffixed {
		return nil, []Part{{"literal", nbsp}, {"currency", symbol}}
	}
	before = []Part{{"currency", symbol}}
	if last := symbol[len(symbol)-1]; last >= 'A' && last <= 'Z' {
		before = append(before, Part{"literal", nbsp})
	}
	return before, nil
}

func (l *Locale) symbol(code string) string {
	if s, ok := l.foreign[code]; ok {
		return s
	}
	if s, ok := symbols[code]; ok {
		return s
	}
	return code
}

func narrowSymbol(code string) string {
	switch code {
	case "CAD", "AUD", "MXN", "NZD", "HKD", "TWD", "SGD", "ARS", "CLP", "COP", "XCD":
		return "$"
	case "CNY":
		return "¥"
	case "SEK", "NOK", "DKK", "ISK":
		return "kr"
	case "PLN":
		return "zł"
	case "CZK":
		return "Kč"
	case "RUB":
		return "₽"
	case "TRY":
		return "₺"
	case "UAH":
		return "₴"
	case "NGN":
		return "₦"
	case "ZAR":
		return "R"
	}
	if s, ok := symbols[code]; ok {
		return s
	}
	return code
}

var symbols = map[string]string{
	"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "INR": "₹", "CNY": "CN¥", "KRW": "₩", "BRL": "R$", "CAD": "CA$", "AUD": "A$",
	"MXN": "MX$", "NZD": "NZ$", "ILS": "₪", "VND": "₫", "TWD": "NT$", "HKD": "HK$", "PHP": "₱", "XCD": "EC$",
}

var currencyNames = map[string]struct{ one, many string }{
	"USD": {"US dollar", "US dollars"}, "EUR": {"euro", "euros"}, "GBP": {"British pound", "British pounds"},
	"JPY": {"Japanese yen", "Japanese yen"}, "INR": {"Indian rupee", "Indian rupees"}, "CNY": {"Chinese yuan", "Chinese yuan"},
	"CAD": {"Canadian dollar", "Canadian dollars"}, "AUD": {"Australian dollar", "Australian dollars"}, "CHF": {"Swiss franc", "Swiss francs"},
	"SEK": {"Swedish krona", "Swedish kronor"}, "BRL": {"Brazilian real", "Brazilian reals"}, "MXN": {"Mexican peso", "Mexican pesos"},
}

// currencyDigits is the number of digits of the minor unit.
func currencyDigits(code string) int {
	switch code {
	case "JPY", "KRW", "VND", "CLP", "ISK", "XAF", "XOF", "XPF", "PYG", "UGX", "RWF":
		return 0
	case "KWD", "BHD", "OMR", "JOD", "TND", "IQD", "LYD":
		return 3
	}
	return 2
}
