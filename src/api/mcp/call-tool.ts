import type { CallToolResult } from '@modelcontextprotocol/server';
import { ApiError } from '#base/errors.js';
import type { Values } from '#base/values.js';
import type { AgentCall } from './agent-call.js';
import { checkArguments, type InputSchema } from './arguments.js';
import { corrections } from './corrections.js';
import { reportRefusal } from './refusals.js';
import { StaleVersion } from './run-write.js';
import type { Tool } from './tool.js';

/** Calls a tool. Its errors are answers that a model reads, and so can correct its call. */
export async function callTool(tool: Tool, input: Values, call: AgentCall): Promise<CallToolResult> {
  try {
    const { inputSchema } = tool.definition;
    const checked = tool.isUnchecked === true ? input : checkArguments(input, inputSchema as InputSchema); // that of each other tool
    return resultOf(await tool.run(checked, call));
  } catch (error) {
    return refusalOf(error, input, call);
  }
}

/** Returns an answer as structured content, and the same as text for clients that know no other. */
const resultOf = (answer: Values): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(answer) }],
  structuredContent: answer,
});

/** The arguments of tools that stand for parameters and headers of REST. */
const argumentNames = [
  ['pagination[after]', 'cursor'],
  ['pagination[limit]', 'limit'],
  ['Idempotency-Key', 'key'],
] as const;

const withArguments = (message: string): string =>
  argumentNames.reduce((text, [name, argument]) => text.replaceAll(name, argument), message);

const longestMessage = 2_000;
const longestDetails = 6_000;

function refusalOf(thrown: unknown, input: Values, call: AgentCall): CallToolResult {
  const { status, name, message, details } = reportRefusal(thrown, call);
  const listed = JSON.stringify(details ?? {});
  const isListed = listed !== '{}' && listed.length <= longestDetails;
  const hints = thrown instanceof ApiError ? corrections(thrown, input, call) : [];
  const said = [withArguments(message.slice(0, longestMessage)), ...hints].join('; ');
  const current = thrown instanceof StaleVersion && thrown.entry !== null ? { entry: thrown.entry } : null;
  const text = [said, ...(isListed ? [listed] : []), ...(current === null ? [] : [JSON.stringify(current)])].join('\n');
  return {
    isError: true,
    content: [{ type: 'text', text }],
    structuredContent: { error: { status, name, message: said, ...(isListed && { details }) }, ...current },
  };
}
