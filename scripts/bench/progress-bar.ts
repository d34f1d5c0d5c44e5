/** Shows how far a task has come, on one line; where the output is no terminal, ten lines at most. */
export function startProgress(title: string, total: number): (done: number) => void {
  let shown = -1;
  return (done) => {
    const steps = process.stdout.isTTY ? 40 : 10;
    const step = Math.floor((done / total) * steps);
    if (step === shown) return;
    shown = step;
    const text = `${title} [${'#'.repeat(step).padEnd(steps)}] ${String(Math.floor((done / total) * 100))} %`;
    if (!process.stdout.isTTY) console.log(text);
    else process.stdout.write(`\r${text}${done >= total ? '\n' : ''}`);
  };
}
