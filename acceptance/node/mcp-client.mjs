// An MCP client of the TypeScript SDK, for the tests: node mcp-client.mjs SCENARIO COMMAND ARGS...
// It plays one scenario with a server that it starts, and prints what came of it as JSON.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const [scenario, command, ...args] = process.argv.slice(2);
const write = "await t.gated({ k: 1 }); (await t.read({ k: 2 })).k";
const slow = "await new Promise(done => setTimeout(done, 2500)); await t.write({ k: 3 }); 'done'";

async function connect(answer) {
  const client = new Client({ name: "typescript", version: "1" }, { capabilities: answer ? { elicitation: {} } : {} });
  const asked = [];
  if (answer) {
    client.setRequestHandler(ElicitRequestSchema, (request) => {
      asked.push(request.params.message);
      return answer === "never" ? new Promise(() => {}) : { action: answer, content: { decision: "approve" } };
    });
  }
  await client.connect(new StdioClientTransport({ command, args, stderr: "ignore" }));
  const call = async (name, given, options) => (await client.callTool({ name, arguments: given }, undefined, options)).structuredContent;
  return { client, asked, call };
}

// newest is the execution that began last.
async function newest({ client }) {
  const { contents } = await client.readResource({ uri: "codemode://executions" });
  return JSON.parse(contents[0].text).executions[0].id;
}

async function play() {
  if (scenario === "disconnect") {
    const first = await connect();
    const lost = new Promise((resolve) => {
      const options = { onprogress: () => first.client.close() };
      first.call("codemode", { code: slow }, options).then(() => resolve("answered"), () => resolve("lost"));
    });
    const call = await lost;
    const second = await connect();
    const outcome = await second.call("result", { executionId: await newest(second) });
    await second.client.close();
    return { call, outcome };
  }
  const session = await connect(scenario === "timeout" ? "never" : scenario);
  let outcome, fault;
  try {
    outcome = await session.call("codemode", { code: write }, scenario === "timeout" ? { timeout: 1000 } : undefined);
  } catch (error) {
    fault = error.code;
    outcome = await session.call("result", { executionId: await newest(session) });
  }
  await session.client.close();
  return { asked: session.asked, outcome, fault };
}

console.log(JSON.stringify(await play()));
