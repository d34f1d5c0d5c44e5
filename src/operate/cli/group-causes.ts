/** What a check has found, as lines. */
interface Lines {
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** Returns what lines about the same cause have in common: the missing package, or else the line without its file. */
const causeOf = (line: string): string =>
  /module "[^"]+" is not installed/.exec(line)?.[0] ?? line.replace(/^[\w./@-]+\.\w+(:\d+)?: /, '');

/** Returns one line for each cause, with the number of the others. A warning about the cause of a problem counts there. */
export function groupCauses({ problems, warnings }: Lines): Lines {
  const ofProblems = new Set(problems.map(causeOf));
  const counts = new Map<string, number>();
  for (const cause of [...problems, ...warnings].map(causeOf)) counts.set(cause, (counts.get(cause) ?? 0) + 1);
  const grouped = (lines: readonly string[]): readonly string[] => {
    const first = new Map([...lines].reverse().map((line) => [causeOf(line), line]));
    return lines.filter((line) => first.get(causeOf(line)) === line).map((line) => counted(line, counts.get(causeOf(line)) ?? 1));
  };
  return { problems: grouped(problems), warnings: grouped(warnings.filter((line) => !ofProblems.has(causeOf(line)))) };
}

const counted = (line: string, count: number): string =>
  count === 1 ? line : `${line} (and in ${String(count - 1)} more ${count === 2 ? 'place' : 'places'})`;
