// query.mjs QUERY...: prints the rows of each query as JSON, with numbers and times as DuckDB
// spells them.
import { DuckDBInstance } from '@duckdb/node-api'

const connection = await (await DuckDBInstance.create(':memory:')).connect()
const answers = []
for (const query of process.argv.slice(2)) {
  const answer = await connection.runAndReadAll(query)
  answers.push(answer.getRows().map(row => row.map(value => value === null ? null : String(value))))
}
console.log(JSON.stringify(answers))
