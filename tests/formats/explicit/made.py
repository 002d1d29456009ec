"""Small files in the formats of model checkers."""

TRA = "3 4\n0 1 1/3\n0 2 2/3\n1 1 1\n2 2 1\n"
LAB = '0="init" 1="deadlock" 2="heads" 3="tails"\n0: 0\n1: 2\n2: 3 1\n'
STA = "(side,seen)\n0:(0,false)\n1:(1,true)\n2:(2,true)\n"
REWARDS = "# Reward structure\n# State rewards\n1 1\n0 7\n"
PEXP = f"# Transitions (DTMC)\n{TRA}\n# States\n{STA}\n# Labels\n{LAB}\n{REWARDS}"
STORM_TRA = "dtmc\n0 1 1/3\n0 2 2/3\n1 1 1\n2 2 1.0\n2 0 0.0\n"
STORM_LAB = "#DECLARATION\ninit deadlock heads tails\n#END\n0 init\n1 heads\n2 deadlock tails\n"
DRN = """// Exported by storm
// Original model type: DTMC
@type: DTMC
@value_type: rational
@parameters

@reward_models
steps
@nr_states
3
@nr_choices
3
@model
state 0 [1] init
//[!seen	& side=0]
	action 0 [0]
		1 : 1/3
		2 : 2/3
state 1 [0] heads
//[	& side=1]
	action 0 [0]
		1 : 1
state 2 [0] deadlock "tails"
//[seen	& side=2]
	action __NOLABEL__ [0]
		2 : 1
"""
