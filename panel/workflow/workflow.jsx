import { Flex, Typography } from '@strapi/design-system';
import { addColumns } from '../columns.js';
import { label } from '../texts.js';
import { StageBox } from './stage-box.jsx';
import { StageFilter } from './stage-filter.jsx';
import { ColoredStage } from './colored-stage.jsx';
import { personName, useWorkflow } from './use-workflow.js';

/** The stage and the assignee of an entry, of types with `options.workflow`: at the side of its form, and in lists with a filter. */
export const workflow = {
  name: 'workflow',
  zones: [
    ['editView', 'informations', StageBox],
    ['listView', 'actions', StageFilter],
  ],
  bootstrap: (app) => app.registerHook('Admin/CM/pages/ListView/inject-column-in-table', addStages),
};

/** Adds the columns to the lists of types with a workflow. */
function addStages({ displayedHeaders, layout }) {
  const { uid, options } = layout.contentType;
  if (options?.workflow === undefined) return { displayedHeaders, layout };
  const column = (name, type, Cell) => ({
    key: `__mangrove_${name}_key__`,
    name,
    fieldSchema: { type },
    metadatas: { label: label(`workflow.${name}`).defaultMessage, searchable: false, sortable: true },
    cellFormatter: (row) => <Cell uid={uid} row={row} />,
  });
  const columns = [column('stage', 'string', StageCell), column('assignee', 'integer', AssigneeCell)];
  return { displayedHeaders: addColumns(displayedHeaders, columns), layout };
}

function StageCell({ uid, row }) {
  const { data } = useWorkflow(uid);
  if (data === undefined) return null;
  const stage = data.stages.find(({ name }) => name === row.stage) ?? data.stages[0];
  return <ColoredStage {...stage} />;
}

function AssigneeCell({ uid, row }) {
  const { data } = useWorkflow(uid);
  if (data === undefined) return null;
  const person = data.administrators.find(({ id }) => id === row.assignee) ?? { id: row.assignee };
  return (
    <Flex>
      <Typography textColor="neutral800">{row.assignee === null ? '-' : personName(person)}</Typography>
    </Flex>
  );
}
