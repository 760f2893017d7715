package catalog

import "strings"

// verbGroups are verbs that connectors and people use for one another. The
// first of a group names it.
var verbGroups = []string{
	"create add open new make insert register compose raise file post generate issue write place schedule book start",
	"delete remove destroy drop erase clear purge discard trash unset detach wipe",
	"list enumerate browse",
	"get fetch show read view retrieve see load display describe inspect",
	"search find query lookup discover",
	"check has exist",
	"verify test validate",
	"update edit change modify set patch put rename alter adjust amend replace revise mark correct reschedule postpone configure customize",
	"close resolve finish complete done fulfil conclude",
	"archive hide",
	"move transfer relocate reorder transition switch",
	"send submit deliver notify emit email message text remind",
	"publish release",
	"run execute trigger launch dispatch invoke begin kick process",
	"deploy rollout ship",
	"stop cancel abort halt terminate end kill interrupt",
	"pause suspend freeze hold",
	"resume continue unpause reactivate",
	"restart reboot reset rerun retry",
	"enable activate allow turn unlock",
	"disable deactivate block lock ban mute",
	"assign delegate allocate",
	"merge combine join unify",
	"copy duplicate clone fork replicate",
	"upload import",
	"attach link connect associate",
	"download export",
	"approve accept confirm grant authorize",
	"reject decline deny dismiss refuse",
	"restore recover undelete reopen revert undo rollback",
	"request ask",
	"invite share",
	"subscribe follow watch",
	"unsubscribe unfollow unwatch",
	"save like favorite favourite star bookmark",
	"pay charge purchase buy order",
	"refund reimburse",
	"log record track",
	"refresh renew sync synchronize reload",
	"resize scale grow shrink extend",
	"convert transform translate render",
	"calculate compute estimate",
	"compare diff",
	"count total",
	"recommend suggest",
	"sign",
	"reply respond answer",
	"play watch listen",
}

// nounGroups are nouns of the kind.
var nounGroups = []string{
	"issue ticket bug task todo case",
	"user member person people account profile someone somebody",
	"participant attendee guest registrant invitee member",
	"employee staff worker colleague",
	"comment note reply remark",
	"comment story",
	"file document attachment asset",
	"customer client buyer",
	"payment charge transaction",
	"invoice bill",
	"price cost fee rate amount",
	"team group squad department",
	"label tag",
	"permission access role right privilege scope",
	"configuration setting preference option property",
	"workflow pipeline job automation",
	"event activity history log audit action change",
	"branch ref",
	"credential secret token key password",
	"channel room conversation chat thread",
	"calendar schedule",
	"meeting appointment event",
	"information detail",
	"statistic metric usage analytics insight",
	"version release revision",
	"song track music tune",
	"movie film video clip",
	"show series program",
	"server instance machine vm host node",
	"picture image photo avatar thumbnail",
	"my me mine self authenticated current viewer own",
	"top popular best trending",
	"content item",
	"address location place",
	"company organization enterprise business",
	"project board workspace",
	"discount coupon promo promotion voucher",
	"status state stage transition presence",
	"contact person lead",
	"order purchase",
	"money fund amount balance",
	"owe due outstanding balance",
	"warning alert notification alarm",
	"previous former past earlier",
	"next upcoming following future",
	"recent latest last newest",
	"dispute chargeback",
	"product item good article sku",
	"cart basket",
	"shipment delivery parcel package shipping",
	"stock inventory quantity",
	"category genre topic section",
	"review rating feedback",
	"salary wage payroll",
	"vacation leave absence holiday",
	"deal opportunity",
	"subscriber recipient audience",
	"template layout blueprint",
	"phone telephone mobile number",
	"sms text message",
	"language locale",
	"country nation region",
	"zone region datacenter area",
	"city town",
	"route direction",
	"booking reservation",
	"certificate cert ssl tls",
	"dns domain hostname",
	"website site page",
	"function lambda",
	"backup snapshot",
	"disk volume storage drive",
	"network vpc subnet",
	"plan tier package",
	"quota limit",
	"device hardware",
	"follower fan subscriber",
	"friend contact",
	"session login",
	"survey poll quiz form questionnaire",
	"answer response reply submission",
	"score grade",
	"course class lesson",
	"tax vat gst",
	"article post entry page blog",
	"author writer creator owner",
	"car vehicle",
	"trip ride journey",
	"dialog modal popup",
	"size dimension",
	"hour time duration",
	"manager supervisor boss",
	"parent ancestor",
	"child sub subtask descendant",
	"dependency block blocker",
	"deadline due",
	"money payout",
	"goal objective target",
	"link url",
	"error failure exception",
	"endpoint url route",
	"webhook subscription callback",
}

// sameGroups are words that mean the same.
var sameGroups = []string{
	"pull pr",
	"repository repo",
	"organization organisation org",
	"message msg",
	"mail email",
	"document doc",
	"folder directory dir",
	"image picture photo",
	"config configuration",
	"environment env",
	"authentication auth login signin",
	"webhook hook",
	"database db",
	"information info",
	"statistic stat",
	"application app",
	"administrator admin",
	"identifier id",
	"number num",
	"cancel cancellation",
	"color colour",
	"favorite favourite",
	"kubernetes k8s",
	"vm machine",
	"promotion promo",
}

// vague are words of queries that stand for almost anything.
var vague = wordSet("my me mine new someone somebody something everything anything thing current existing given specific certain particular different history")

// phrases are usual ones of more than a word, with words for them.
var phrases = [][2]string{
	{"who am i", "get current authenticated user account profile me"}, {"what is in", "list items contents in"}, {"what's in", "list items contents in"},
	{"who is in", "list members in"}, {"who's in", "list members in"}, {"set up", "create"}, {"spin up", "create"}, {"sign up", "create account"},
	{"open up", "open"}, {"bring up", "create"}, {"take off", "remove"}, {"get rid of", "delete"}, {"clean up", "delete"}, {"tear down", "delete"},
	{"throw away", "delete"}, {"kick off", "start"}, {"fire off", "start"}, {"carry out", "run"}, {"shut down", "stop"}, {"turn off", "disable"},
	{"switch off", "disable"}, {"turn on", "enable"}, {"switch on", "enable"}, {"look up", "find"}, {"look for", "find"}, {"search for", "search"},
	{"roll back", "rollback"}, {"send out", "send"}, {"fill in", "update"}, {"log in", "login"}, {"sign in", "login"}, {"log out", "logout"},
	{"back up", "backup"}, {"check out", "checkout"}, {"find out", "get"}, {"tick off", "complete"}, {"check off", "complete"},
	{"mark as done", "complete"}, {"how many", "count"}, {"how much", "amount"},
}

// reading are the groups of the verbs that read, and asking stands for one that is not known.
var reading = wordSet("list get search check download")

const asking = "asking"

// synonymWeight is what a match by synonym counts, against 1 for the word itself.
const (
	synonymWeight = 0.6
	sameWeight    = 0.95
)

// synonyms maps each word's stem to the weights of the stems of its groups, and verbs to the group of a verb.
var synonyms, verbs = func() (map[string]map[string]float64, map[string]string) {
	weights, class := map[string]map[string]float64{}, map[string]string{}
	group := func(line string, weight float64) (stems []string) {
		for _, w := range strings.Fields(line) {
			stems = append(stems, stem(w))
		}
		for _, a := range stems {
			if weights[a] == nil {
				weights[a] = map[string]float64{}
			}
			for _, b := range stems {
				weights[a][b] = max(weights[a][b], weight)
			}
		}
		return stems
	}
	for _, line := range verbGroups {
		stems := group(line, synonymWeight)
		for _, s := range stems {
			if class[s] == "" {
				class[s] = stems[0]
			}
		}
	}
	for _, line := range nounGroups {
		group(line, synonymWeight)
	}
	for _, line := range sameGroups {
		group(line, sameWeight)
	}
	return weights, class
}()

// verbOf returns the group of a verb; empty if the word is none.
func verbOf(word string) string { return verbs[stem(word)] }

// creating and updating are the groups that others are compared with.
var creating, updating = stem("create"), stem("update")

// akin are the groups that a verb's method may be found under as well.
var akin = func() map[string][]string {
	m := map[string][]string{}
	for _, line := range []string{
		"create send run copy upload publish register", "update close assign move enable disable approve publish archive", "send create", "run create", "assign create update",
		"close update", "archive update delete close", "move update", "enable update create", "disable update delete", "stop delete update", "copy create",
		"upload create", "attach create update", "restore update create", "invite create update", "subscribe create update", "approve update create", "request create",
		"save create update", "publish create update", "deploy create run", "pause update stop disable", "resume update run enable create", "restart update run create",
		"pay create", "refund create", "log create", "refresh update", "resize update", "convert create", "calculate create get", "sign create", "reply create",
		"verify create check", "merge create update", "download get list", "check get list", "search list get", "delete stop disable", "reject update delete",
		"compare get", "count get list", "recommend get list", "unsubscribe delete update", "play run update",
	} {
		var stems []string
		for _, w := range strings.Fields(line) {
			stems = append(stems, stem(w))
		}
		m[stems[0]] = stems[1:]
	}
	return m
}()
