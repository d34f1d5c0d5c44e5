import { expect } from 'chai';
import { Bindings, openStage, play, readState, readTranscript, setScene, type Stage, transcriptFiles } from './replay.js';

/** The requests and answers that clients of other languages are written against. */
describe('the transcripts of pushes', () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage.service.stop());

  for (const file of transcriptFiles()) {
    const { title, before: start, steps } = readTranscript(file);
    it(`${file}: ${title}`, async () => {
      await setScene(stage, { before: start });
      const bindings = new Bindings();
      let state: unknown = start;
      expect(await readState(stage)).to.deep.equal(start);
      for (const [index, step] of steps.entries()) {
        const answered = await play(step, bindings, stage);
        if (answered !== null) expect(answered, `step ${String(index)}`).to.deep.equal(bindings.meet(step.answer, answered));
        const stored = await readState(stage);
        const expected = bindings.fill(step.after ?? state);
        expect(stored, `after step ${String(index)}`).to.deep.equal(bindings.meet(expected, stored));
        state = step.after ?? state;
      }
    });
  }
});
