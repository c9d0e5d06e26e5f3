// Package view writes what ojud's commands show: sheets and tables of agents, tasks, cases and data
// sources. It escapes every value, because much of it comes from strangers.
package view
