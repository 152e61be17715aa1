// The record as tools of a model: a server of the model context protocol in the process of its host.
//   node examples/mcp-server.mjs .stele write agent
import { open, SteleError } from '@stele/native'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'

const [path = '.stele', tier = 'write', actor = 'agent'] = process.argv.slice(2)
const record = await open(path)
const server = new Server({ name: 'stele', version: '0.1.0' }, { capabilities: { tools: {} } })

server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: record.tools({ tier }).map(({ name, description, inputSchema, tier }) => ({
    name,
    description,
    inputSchema,
    annotations: { readOnlyHint: tier === 'read', destructiveHint: tier === 'destructive' },
  })),
}))

server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
  try {
    const said = await record.callTool(params.name, params.arguments ?? {}, { actor, tier, signal })
    return { content: [{ type: 'text', text: JSON.stringify(said) }] }
  } catch (error) {
    if (!(error instanceof SteleError)) throw error
    // The model reads what was wrong and can do better.
    const { kind, code, message, details } = error
    return { isError: true, content: [{ type: 'text', text: JSON.stringify({ kind, code, message, details }) }] }
  }
})

const transport = new StdioServerTransport()
server.onclose = () => record.close()
await server.connect(transport)
