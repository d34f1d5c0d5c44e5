import { assemble } from './assemble.jsx';
import { audit } from './audit/audit.jsx';
import { calendar } from './calendar/calendar.jsx';
import { drafts } from './drafts/drafts.jsx';
import { history } from './history/history.jsx';
import { preview } from './preview/preview.jsx';
import { releases } from './releases/releases.jsx';
import { schedule } from './schedule.jsx';
import { signOn } from './sign-on.jsx';
import { trash } from './trash/trash.jsx';
import { workflow } from './workflow/workflow.jsx';

/** The parts of Mangrove in the panel, in the order in which the side of a form shows them. */
export default assemble([preview, drafts, workflow, schedule, releases, calendar, history, trash, audit, signOn]);
