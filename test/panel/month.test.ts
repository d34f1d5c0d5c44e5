import { expect } from 'chai';
import { daysOf, monthOf, weeksOf } from '../../panel/calendar/month.js';

const at = (day: number, hour = 12): string => new Date(2026, 4, day, hour).toISOString();

describe('the months of the calendar', () => {
  it('are whole weeks from Monday', () => {
    const days = daysOf(monthOf(new Date(2026, 4, 17)), []);
    expect(days).to.have.length(35);
    expect([days[0]?.date.getDay(), days[0]?.date.getDate(), days[34]?.date.getDate()]).to.deep.equal([1, 27, 31]);
    expect(days.filter(({ isInMonth }) => isInMonth)).to.have.length(31);
    expect(daysOf(new Date(2027, 1, 1), [])).to.have.length(28);
  });

  it('are asked for with the days of their neighbours that are shown', () => {
    const { from, to } = weeksOf(new Date(2026, 4, 1));
    expect([from, to]).to.deep.equal([new Date(2026, 3, 27).toISOString(), new Date(2026, 5, 1).toISOString()]);
  });

  it('have each event on its day', () => {
    const days = daysOf(new Date(2026, 4, 1), [{ at: at(1, 0) }, { at: at(31, 23) }, { at: at(31, 1) }]);
    const counts = days.flatMap(({ date, events }) => (events.length === 0 ? [] : [[date.getDate(), events.length]]));
    expect(counts).to.deep.equal([
      [1, 1],
      [31, 2],
    ]);
  });

  it('follow each other over the ends of years', () => {
    expect(monthOf(new Date(2026, 11, 31), 1)).to.deep.equal(new Date(2027, 0, 1));
    expect(monthOf(new Date(2026, 2, 31), -1)).to.deep.equal(new Date(2026, 1, 1));
  });
});
