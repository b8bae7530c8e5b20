-- migration 0016, by the code of commit 56d4198; made by make.py
BEGIN TRANSACTION;
CREATE TABLE alarms (
	id INTEGER NOT NULL, 
	kind VARCHAR(32) NOT NULL, 
	job_id VARCHAR(32), 
	node_id VARCHAR(32), 
	text TEXT NOT NULL, 
	since_s FLOAT NOT NULL, 
	over_at_s FLOAT, 
	CONSTRAINT pk_alarms PRIMARY KEY (id)
);
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0016');
CREATE TABLE buckets (
	job_id VARCHAR(32) NOT NULL, 
	at_s BIGINT NOT NULL, 
	training_phase VARCHAR(64) NOT NULL, 
	iterations FLOAT NOT NULL, width_s INTEGER DEFAULT '5' NOT NULL, 
	CONSTRAINT pk_buckets PRIMARY KEY (job_id, at_s, training_phase), 
	CONSTRAINT fk_buckets_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "buckets" VALUES('job-5fa297df',1700000035,'main',4.0,5);
INSERT INTO "buckets" VALUES('job-5fa297df',1700000040,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-5fa297df',1700000045,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-5fa297df',1700000050,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-5fa297df',1700000055,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-5fa297df',1700000060,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-5fa297df',1700000065,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-5fa297df',1700000070,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-5fa297df',1700000075,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-5fa297df',1700000080,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-5fa297df',1700000085,'main',36.0,5);
INSERT INTO "buckets" VALUES('job-21846b6e',1700000035,'main',4.0,5);
INSERT INTO "buckets" VALUES('job-21846b6e',1700000040,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-21846b6e',1700000045,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-21846b6e',1700000050,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-21846b6e',1700000055,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-21846b6e',1700000060,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-21846b6e',1700000065,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-21846b6e',1700000070,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-21846b6e',1700000075,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-21846b6e',1700000080,'main',40.0,5);
INSERT INTO "buckets" VALUES('job-21846b6e',1700000085,'main',36.0,5);
CREATE TABLE certificates (
	job_id VARCHAR(32) NOT NULL, 
	pem TEXT NOT NULL, 
	made_at_s FLOAT NOT NULL, 
	CONSTRAINT pk_certificates PRIMARY KEY (job_id), 
	CONSTRAINT fk_certificates_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
CREATE TABLE code (
	sha256 VARCHAR(64) NOT NULL, 
	content BLOB NOT NULL, 
	stored_at_s FLOAT NOT NULL, 
	CONSTRAINT pk_code PRIMARY KEY (sha256)
);
CREATE TABLE decisions (
	id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	at_s FLOAT NOT NULL, 
	last_at_s FLOAT NOT NULL, 
	ticks INTEGER NOT NULL, 
	policy VARCHAR(64) NOT NULL, 
	action VARCHAR(16) NOT NULL, 
	code VARCHAR(64) NOT NULL, 
	from_group TEXT, 
	to_group TEXT, 
	"plan" TEXT NOT NULL, 
	snapshot BLOB NOT NULL, version INTEGER DEFAULT '1' NOT NULL, weighed_at_s FLOAT, 
	CONSTRAINT pk_decisions PRIMARY KEY (id), 
	CONSTRAINT fk_decisions_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "decisions" VALUES(1,'job-5fa297df',1700000002.0,1700000002.0,1,'best_value','start','start',NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','{"action":"start","target":{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]},"reason":{"code":"start","text":"start on 2 nodes","numbers":{"usd_per_h":0.72}},"candidates":[],"limited_by":[],"may_buy":true,"left_out":{},"pruned":{}}',X'789CCD56DB6EDB3810FD173DBB86632769E35F290A82A246126B8A5479B1E304F9F73D438992DDC5A24081EDAE9EC4E1702E876766F85E597711A13A3E7CDE4DDF7EBBDB54DF5D5D1DDF2BDD5447FEFFF4D4CAFDCBE7A6AD36551849F19E950361976C430DC4CA0D83B4D0FF5A452FB5DD8ED7EA1B8B1B68D964CC06AA671CFCD85417E74FC6C9A66CF4D791FC283D2C46F26152B23819C4A02D625B56F2F566759136D262C48EDE290143C2669F954CD121B0CEB85A1A51CBA8FAA2ABE14646ED2C27CE496F2A577F2715F5993837F8D1837E632BAB6AB6DD3863A487D9866463B425C66E325AA7A6A32852584282195EE683BD4BBEC8CFD22412AE15510FB46A946D67917680DDAA95215288D50C8788000AF2AF0CAC1CA5D2F1CA89DA2B021A9DD18A97354E88EC02D256BF522396C3C5C5D8CB902D2DF738E0CEA09F6CD4462C494FFA1FF0D7F0A58ACE4B95533EEC9826C384B48747E92307E169BAD8E813F13E420972180DCDB70A05A5C36279C2683EBF20E9521CD3BABCBB3A4F3F92F634908D331281621AA7DF4646591403294F93CEC79C30879AACD5B6631EA77AD011041232DE1540CEEC0C1EE628F7376CA98E8F4C95CC6F1811C5E88C5D0B69E8178385F40DFB2BD95208B2A33599C659AC60F44463FC19F74D4136B0C937F2AE3AB6D204201BA21B51013D5921C369AD823BACC87B37930E10C010F859F654F21E182ED5C315358178C7B4851FC62969B63F12A221E6BF1A13E2DEEE9F38A9C1F9ABE8347A46EE1EDD98847289ADCF2B268A59C9770D1AD6A0E369016A6106BBADDAF1B0E7FEA1871BB86473D6C1795127752A997C6C7E0AB197A65DE3FBDF85D74258C27BC835F49F86F78D8F6A35DF35F77BB457D7B6E4336BDFAB9BD6F1770EAC3DC8D94F0DE501B0A9DE32A7276D6E5D370D0EB5C58C4177D28D68BD1B72E53DBFE07B7E9C2ACFD581FCF91FCA32A08B2A369EDB2218FE8A620CE2DE0363CE99EC7F9549A1CAEFA4F1F8C7D238FC2A8D42A9DF49E3E55FCF227768AF4B7709178D0EB54CB15EDA6ED91AD190A6F989833B10D1600A730BE789EC3B7E0AECB60FFCA870A67117CB213D4FB144AF5112176D2187F44B917030A1979EE66630B917A34C8104988F7A80FA139BA89D8BABE8C022B6278AA769E4E56AE187884069B1F84BC12A8CD3F9FBEDC31C201E327A4883A8B531C033E41C4B94780A1026CE7569EF9EA4E239B0CE91822AFA04E6A522BC549A6243ABD39C05DFAF9567A98DAC0DCD43D1A53ABF936E160BCAE81141288C4DE33A71C25BD096D90DA07A0C7D16F0414667BEA711F0975FCC5336CDA3DD530B50673F24BDD168123C7DFF02A710820A',1,1700000002.0);
INSERT INTO "decisions" VALUES(2,'job-21846b6e',1700000002.0,1700000002.0,1,'best_value','start','start',NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','{"action":"start","target":{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]},"reason":{"code":"start","text":"start on 2 nodes","numbers":{"usd_per_h":0.72}},"candidates":[],"limited_by":[],"may_buy":true,"left_out":{},"pruned":{}}',X'789CCD56DB8EDB380CFD173DA741269966A7F995A2106499B6D5C892AB4B3299C1FCFB1EDA969D74B12850602F7EB2288A97A34352EFC2F9AB8CE2F4F4C76EFAF6DBDD467CF79538BD0B538B13FF7FDA3FBD3C1FAB23898D880369DE73AA27ECA6A08C33AEC58EF67DAF1C8E7C9DA4DBE126BEB1B886A2CBD66E04B90BCE7E6CC4D587B3F5AA2E1BDD6DA030A800A389429C941C4E46D91B87F096957ABD5B5D954BB4187143F05AC29074A34FA172F208ACB5BE5256562AE9AEE81AB851C978C7B973DE1BE1ABEFA493B910A7073FA6376F6C65551D6DD7DE5A1560B626555BE388E19B8C56B96E29C91C9790608697E3C1CEE750E417653349DFC8647A5A35CAB677483BC2AE68544C149398E190094041FE95815583D226DD385177434083B746F3B2C20939BA80B431AF54CBE5707131742A8E9696ABEC7167D0CF2E192B97A427FD0FF8ABF952651B941E533EEC9829FD847480471512071168BAD81432F13E4289AA1F2CCDB70A056DE26279C2683EBF20E9731AF2BA7CB8BA403FB209D4934B331291521EA6DF5A25551423E94093CEC79C30879ADD4CD898ABDE241048AAF45003636617F0708C727FC716717A66AA14D6CB6274C6AE8134768BC142FA9AFD956C2946D5D29A4CED1D56307AA621FD8CFBA6201BD9E41B052F4E8DB211C8C6E4075440474EAA785EABE0012B0AC1CFA4030430047E963D9D4300864BF570454D203E306DE187F55AD9ED8F8C6888F9AF878CB8B7FBCF9C54EFC34DB6066D636C20ED90A5F699ADCF2B268A5DC9778B06D6A01368016A6106BB15CD70D873FF30FD1D5CAABE98E883ACB23E974C3E363F85D829DBACF1FDEFC26B202CE13D8D35F49F86F78D8F1A3DDF35B77CB457DF341446D6BE8BBBD6F1570EAC3DC8BB4F358D036023DE464E4FDADCBAEE1A1C6A8B1983EE646AD904DF8F9577FC82EFF83C559EAF2285CBDF94654417D5E3E4E1B60886BFA218A37CF4C0987326FB5F6552A8F23B693CFF6B691C7E9546A1D4EFA4F1E51FCF62ECD0C194EE12AF061D6A99629D72EDB235A0214DF313077720A2C514E616CE1339B4FC14D86D9FF851E16DEDAF8E433A4EB1A460501257E32087F4A5483898D8A940733398DCCB41E54812CC473D40FD339BA8BC4FABE8C022B6278BA769E48DD5C20F1189D262F14BC12A0ED3F9C7EDC31C201E32A6CFBDAC8CB5C0338E399628F114204C9CDBD2DE0329CD73609D230555F409CC4B4D78A9D4C586D1E7390BBE5FA72ECA5855599A87A2CFD5F84EBA5B2C28A34744A93136AD6FE519CF4157663780EA30F459C007199DF99E06C05F7E314FD9348FF6400D409DFD900AD6A049F0F4FD1393A38300',1,1700000002.0);
CREATE TABLE events (
	id INTEGER NOT NULL, 
	at_s FLOAT NOT NULL, 
	job_id VARCHAR(32), 
	node_id VARCHAR(32), 
	kind VARCHAR(32) NOT NULL, 
	text TEXT NOT NULL, 
	numbers TEXT NOT NULL, 
	CONSTRAINT pk_events PRIMARY KEY (id)
);
INSERT INTO "events" VALUES(1,1700000300.0,NULL,NULL,'price','local.half on-demand local: $0.36/h is now $0.72/h','{"before_usd_per_h": 0.36, "usd_per_h": 0.72}');
INSERT INTO "events" VALUES(2,1700000000.0,'job-5fa297df',NULL,'job_submitted','job ended submitted, mode restart','{}');
INSERT INTO "events" VALUES(3,1700000001.0,'job-5fa297df',NULL,'job_phase','job ended is profiling','{}');
INSERT INTO "events" VALUES(4,1700000001.0,'job-5fa297df',NULL,'job_phase','job ended is running','{}');
INSERT INTO "events" VALUES(5,1700000005.0,'job-5fa297df','node-4df19a29','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(6,1700000020.0,'job-5fa297df','node-4df19a29','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(7,1700000005.0,'job-5fa297df','node-44795ddc','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(8,1700000020.0,'job-5fa297df','node-44795ddc','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(9,1700000030.0,'job-5fa297df',NULL,'generation','generation 1: 2 x local.half on-demand','{}');
INSERT INTO "events" VALUES(10,1700000002.0,'job-5fa297df',NULL,'decision','start on 2 nodes','{"decision_id": 1}');
INSERT INTO "events" VALUES(11,1700000060.0,'job-5fa297df',NULL,'note','a note of ended','{}');
INSERT INTO "events" VALUES(12,1700000600.0,'job-5fa297df','node-4df19a29','node_terminating','local.half is being terminated: asked','{}');
INSERT INTO "events" VALUES(13,1700000610.0,'job-5fa297df','node-4df19a29','node_terminated','local.half is terminated','{}');
INSERT INTO "events" VALUES(14,1700000600.0,'job-5fa297df','node-44795ddc','node_terminating','local.half is being terminated: asked','{}');
INSERT INTO "events" VALUES(15,1700000610.0,'job-5fa297df','node-44795ddc','node_terminated','local.half is terminated','{}');
INSERT INTO "events" VALUES(16,1700000590.0,'job-5fa297df',NULL,'job_phase','job ended is draining: asked','{}');
INSERT INTO "events" VALUES(17,1700000620.0,'job-5fa297df',NULL,'job_phase','job ended was cancelled','{}');
INSERT INTO "events" VALUES(18,1700000000.0,'job-21846b6e',NULL,'job_submitted','job training submitted, mode restart','{}');
INSERT INTO "events" VALUES(19,1700000001.0,'job-21846b6e',NULL,'job_phase','job training is profiling','{}');
INSERT INTO "events" VALUES(20,1700000001.0,'job-21846b6e',NULL,'job_phase','job training is running','{}');
INSERT INTO "events" VALUES(21,1700000005.0,'job-21846b6e','node-1f2220ce','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(22,1700000020.0,'job-21846b6e','node-1f2220ce','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(23,1700000005.0,'job-21846b6e','node-c65e44b5','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(24,1700000020.0,'job-21846b6e','node-c65e44b5','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(25,1700000030.0,'job-21846b6e',NULL,'generation','generation 1: 2 x local.half on-demand','{}');
INSERT INTO "events" VALUES(26,1700000002.0,'job-21846b6e',NULL,'decision','start on 2 nodes','{"decision_id": 2}');
INSERT INTO "events" VALUES(27,1700000060.0,'job-21846b6e',NULL,'note','a note of training','{}');
CREATE TABLE generations (
	job_id VARCHAR(32) NOT NULL, 
	number INTEGER NOT NULL, 
	node_ids TEXT NOT NULL, 
	members TEXT NOT NULL, 
	rdzv_endpoint VARCHAR(128) NOT NULL, 
	started_at_s FLOAT NOT NULL, 
	drain_at_s FLOAT, 
	ended_at_s FLOAT, 
	first_step_at_s FLOAT, 
	last_step_at_s FLOAT, 
	hangs BOOLEAN NOT NULL, world_size INTEGER DEFAULT '1' NOT NULL, 
	CONSTRAINT pk_generations PRIMARY KEY (job_id, number), 
	CONSTRAINT fk_generations_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "generations" VALUES('job-5fa297df',1,'["node-4df19a29", "node-44795ddc"]','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','127.0.0.1:1',1700000030.0,NULL,1700000600.0,1700000040.0,1700000089.5,0,2);
INSERT INTO "generations" VALUES('job-21846b6e',1,'["node-1f2220ce", "node-c65e44b5"]','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','127.0.0.1:1',1700000030.0,NULL,NULL,1700000040.0,1700000089.5,0,2);
CREATE TABLE identity (
	id INTEGER NOT NULL, 
	holder VARCHAR(32) NOT NULL, 
	CONSTRAINT pk_identity PRIMARY KEY (id)
);
CREATE TABLE intents (
	id INTEGER NOT NULL, 
	token VARCHAR(64) NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	node_id VARCHAR(32) NOT NULL, 
	request_hash VARCHAR(64) NOT NULL, 
	asked_by VARCHAR(32) NOT NULL, 
	created_at_s FLOAT NOT NULL, 
	done_at_s FLOAT, 
	outcome TEXT, 
	CONSTRAINT pk_intents PRIMARY KEY (id), 
	CONSTRAINT uq_intents_token_kind_node_id UNIQUE (token, kind, node_id)
);
INSERT INTO "intents" VALUES(1,'f0a768d66ae40886c2033f2adc50bb38','launch','node-4df19a29','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(2,'03a74cd73f45fa6b300a815c16002134','launch','node-44795ddc','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(3,'f0a768d66ae40886c2033f2adc50bb38','terminate','node-4df19a29','f0a768d66ae40886c2033f2adc50bb38','',1700000600.0,1700000610.0,'gone');
INSERT INTO "intents" VALUES(4,'03a74cd73f45fa6b300a815c16002134','terminate','node-44795ddc','03a74cd73f45fa6b300a815c16002134','',1700000600.0,1700000610.0,'gone');
INSERT INTO "intents" VALUES(5,'4d7202ecab03d7e3afb70303e03f0f8f','launch','node-1f2220ce','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(6,'37ccd2be0ade6cc12e2129508ca1d7c4','launch','node-c65e44b5','h','',1700000001.0,1700000005.0,'launched');
CREATE TABLE "jobs" (
	seq INTEGER NOT NULL, 
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	spec TEXT NOT NULL, 
	phase VARCHAR(24) NOT NULL, 
	submitted_at_s FLOAT NOT NULL, 
	version INTEGER NOT NULL, 
	iteration BIGINT NOT NULL, 
	progress_generation INTEGER NOT NULL, 
	newest_round BIGINT NOT NULL, 
	registered_round BIGINT NOT NULL, 
	training_phase VARCHAR(64), 
	finished_at_s FLOAT, 
	ending VARCHAR(24), 
	message TEXT, 
	target TEXT, 
	code VARCHAR(64), 
	failures INTEGER NOT NULL, 
	failed_iteration BIGINT NOT NULL, 
	longest_pause_s FLOAT, 
	idempotency_key VARCHAR(255), 
	request_hash VARCHAR(64) NOT NULL, 
	redone BIGINT DEFAULT '0' NOT NULL, 
	kept_iteration BIGINT, 
	restarts_at_zero BOOLEAN DEFAULT 0 NOT NULL, 
	stops_when_asked BOOLEAN, 
	batch VARCHAR(8), 
	saves TEXT, 
	error TEXT, 
	CONSTRAINT pk_jobs PRIMARY KEY (seq), 
	CONSTRAINT uq_jobs_idempotency_key UNIQUE (idempotency_key), 
	CONSTRAINT uq_jobs_id UNIQUE (id)
);
INSERT INTO "jobs" VALUES(1,'job-5fa297df','ended','{"name":"ended","command":["train.py"],"code":null,"env":{},"workload":null,"hyperparameters":{},"nodes_min":1,"nodes_max":1,"nodes_wanted":null,"nproc_per_node":"auto","global_batch":null,"iterations":10000,"objective":{"maximize":"iterations_per_dollar","deadline_s":null,"budget_usd":null,"max_usd_per_hour":null,"value_of_time_usd_per_h":null,"on_miss":"fastest"},"node_types":[],"capacity":"any","policy":"best_value","fixed_node_type":null,"phases":[{"name":"main","until_iteration":null}],"drain_grace_s":30.0,"mode":"restart","preload":true,"most_samples":{},"precision":null,"max_restarts":null,"outputs":null,"batch":null,"requirements":[],"setup":[],"data":null,"secrets":[]}','cancelled',1700000000.0,4,400,1,0,0,'main',1700000620.0,'cancelled','asked',NULL,NULL,0,-1,NULL,'ended','ended',0,NULL,0,NULL,NULL,NULL,NULL);
INSERT INTO "jobs" VALUES(2,'job-21846b6e','training','{"name":"training","command":["train.py"],"code":null,"env":{},"workload":null,"hyperparameters":{},"nodes_min":1,"nodes_max":1,"nodes_wanted":null,"nproc_per_node":"auto","global_batch":null,"iterations":10000,"objective":{"maximize":"iterations_per_dollar","deadline_s":null,"budget_usd":null,"max_usd_per_hour":null,"value_of_time_usd_per_h":null,"on_miss":"fastest"},"node_types":[],"capacity":"any","policy":"best_value","fixed_node_type":null,"phases":[{"name":"main","until_iteration":null}],"drain_grace_s":30.0,"mode":"restart","preload":true,"most_samples":{},"precision":null,"max_restarts":null,"outputs":null,"batch":null,"requirements":[],"setup":[],"data":null,"secrets":[]}','running',1700000000.0,2,400,1,0,0,'main',NULL,NULL,NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}',NULL,0,-1,NULL,'training','training',0,NULL,0,NULL,NULL,NULL,NULL);
CREATE TABLE ledger (
	id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	node_id VARCHAR(32) NOT NULL, 
	node_type VARCHAR(64) NOT NULL, 
	capacity VARCHAR(16) NOT NULL, 
	zone VARCHAR(32) NOT NULL, 
	price_id INTEGER NOT NULL, 
	usd_per_h FLOAT NOT NULL, 
	from_s FLOAT NOT NULL, 
	to_s FLOAT, 
	minimum_s FLOAT NOT NULL, 
	extras_usd_per_h FLOAT NOT NULL, 
	is_waived BOOLEAN NOT NULL, 
	CONSTRAINT pk_ledger PRIMARY KEY (id), 
	CONSTRAINT fk_ledger_job_id FOREIGN KEY(job_id) REFERENCES jobs (id), 
	CONSTRAINT fk_ledger_node_id FOREIGN KEY(node_id) REFERENCES nodes (id), 
	CONSTRAINT fk_ledger_price_id FOREIGN KEY(price_id) REFERENCES prices (id)
);
INSERT INTO "ledger" VALUES(1,'job-5fa297df','node-4df19a29','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(2,'job-5fa297df','node-4df19a29','local.half','on-demand','local',2,0.72,1700000300.0,1700000610.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(3,'job-5fa297df','node-44795ddc','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(4,'job-5fa297df','node-44795ddc','local.half','on-demand','local',2,0.72,1700000300.0,1700000610.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(5,'job-21846b6e','node-1f2220ce','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(6,'job-21846b6e','node-1f2220ce','local.half','on-demand','local',2,0.72,1700000300.0,NULL,0.0,0.0,0);
INSERT INTO "ledger" VALUES(7,'job-21846b6e','node-c65e44b5','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(8,'job-21846b6e','node-c65e44b5','local.half','on-demand','local',2,0.72,1700000300.0,NULL,0.0,0.0,0);
CREATE TABLE losses (
	event_id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	from_s FLOAT, 
	to_s FLOAT, 
	CONSTRAINT pk_losses PRIMARY KEY (event_id), 
	CONSTRAINT fk_losses_event_id FOREIGN KEY(event_id) REFERENCES events (id), 
	CONSTRAINT fk_losses_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
CREATE TABLE "nodes" (
	seq INTEGER NOT NULL, 
	id VARCHAR(32) NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	node_type VARCHAR(64) NOT NULL, 
	capacity VARCHAR(16) NOT NULL, 
	zone VARCHAR(32) NOT NULL, 
	phase VARCHAR(16) NOT NULL, 
	token VARCHAR(64) NOT NULL, 
	intended_at_s FLOAT NOT NULL, 
	provider_id VARCHAR(128), 
	launched_at_s FLOAT, 
	joined_at_s FLOAT, 
	heartbeat_at_s FLOAT, 
	terminated_at_s FLOAT, 
	exit TEXT, 
	acked_seq BIGINT NOT NULL, 
	reason TEXT NOT NULL, 
	notice_kind VARCHAR(16), 
	notice_action VARCHAR(32), 
	notice_at_s FLOAT, 
	noticed_at_s FLOAT, 
	stopping_at_s FLOAT, 
	failures INTEGER NOT NULL, 
	extras_usd_per_h FLOAT, 
	minimum_billed_s FLOAT NOT NULL, 
	billed_from_s FLOAT, 
	is_waived BOOLEAN NOT NULL, 
	processes INTEGER DEFAULT '1' NOT NULL, 
	threads INTEGER DEFAULT '1' NOT NULL, 
	image VARCHAR(64), 
	setup_s FLOAT, 
	setup_bytes BIGINT, 
	prepared_at_s FLOAT, 
	report TEXT, 
	CONSTRAINT pk_nodes PRIMARY KEY (seq), 
	CONSTRAINT fk_nodes_job_id FOREIGN KEY(job_id) REFERENCES jobs (id), 
	CONSTRAINT uq_nodes_id UNIQUE (id)
);
INSERT INTO "nodes" VALUES(1,'node-4df19a29','job-5fa297df','local.half','on-demand','local','terminated','f0a768d66ae40886c2033f2adc50bb38',1700000001.0,'ended-1',1700000005.0,1700000020.0,1700000020.0,1700000610.0,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,0,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "nodes" VALUES(2,'node-44795ddc','job-5fa297df','local.half','on-demand','local','terminated','03a74cd73f45fa6b300a815c16002134',1700000001.0,'ended-2',1700000005.0,1700000020.0,1700000020.0,1700000610.0,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,0,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "nodes" VALUES(3,'node-1f2220ce','job-21846b6e','local.half','on-demand','local','joined','4d7202ecab03d7e3afb70303e03f0f8f',1700000001.0,'training-1',1700000005.0,1700000020.0,1700000020.0,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,0,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "nodes" VALUES(4,'node-c65e44b5','job-21846b6e','local.half','on-demand','local','joined','37ccd2be0ade6cc12e2129508ca1d7c4',1700000001.0,'training-2',1700000005.0,1700000020.0,1700000020.0,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,0,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE past_prices (
	node_type VARCHAR(64) NOT NULL, 
	capacity VARCHAR(16) NOT NULL, 
	zone VARCHAR(32) NOT NULL, 
	valid_from_s FLOAT NOT NULL, 
	usd_per_h FLOAT NOT NULL, 
	extras_usd_per_h FLOAT NOT NULL, 
	observed_at_s FLOAT NOT NULL, 
	source VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_past_prices PRIMARY KEY (node_type, capacity, zone, valid_from_s)
);
CREATE TABLE pools (
	node_type VARCHAR(64) NOT NULL, 
	capacity VARCHAR(16) NOT NULL, 
	zone VARCHAR(32) NOT NULL, 
	history TEXT NOT NULL, 
	CONSTRAINT pk_pools PRIMARY KEY (node_type, capacity, zone)
);
CREATE TABLE prices (
	id INTEGER NOT NULL, 
	node_type VARCHAR(64) NOT NULL, 
	capacity VARCHAR(16) NOT NULL, 
	zone VARCHAR(32) NOT NULL, 
	usd_per_h FLOAT NOT NULL, 
	extras_usd_per_h FLOAT NOT NULL, 
	valid_from_s FLOAT NOT NULL, 
	observed_at_s FLOAT NOT NULL, 
	source VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_prices PRIMARY KEY (id)
);
INSERT INTO "prices" VALUES(1,'local.half','on-demand','local',0.36,0.0,1699999900.0,1699999900.0,'test');
INSERT INTO "prices" VALUES(2,'local.half','on-demand','local',0.72,0.0,1700000300.0,1700000300.0,'test');
CREATE TABLE resumes (
	job_id VARCHAR(32) NOT NULL, 
	number INTEGER NOT NULL, 
	ended_at_s FLOAT NOT NULL, 
	ending VARCHAR(24) NOT NULL, 
	resumed_at_s FLOAT NOT NULL, 
	CONSTRAINT pk_resumes PRIMARY KEY (job_id, number), 
	CONSTRAINT fk_resumes_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
CREATE TABLE rollups (
	job_id VARCHAR(32) NOT NULL, 
	windows_to_s FLOAT NOT NULL, 
	CONSTRAINT pk_rollups PRIMARY KEY (job_id), 
	CONSTRAINT fk_rollups_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
CREATE TABLE series (
	id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	members TEXT NOT NULL, 
	training_phase VARCHAR(64) NOT NULL, iterations BIGINT DEFAULT '0' NOT NULL, elapsed_s FLOAT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_series PRIMARY KEY (id), 
	CONSTRAINT fk_series_job_id FOREIGN KEY(job_id) REFERENCES jobs (id), 
	CONSTRAINT uq_series_job_id_members_training_phase UNIQUE (job_id, members, training_phase)
);
INSERT INTO "series" VALUES(1,'job-5fa297df','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','main',396,49.5);
INSERT INTO "series" VALUES(2,'job-21846b6e','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','main',396,49.5);
CREATE TABLE windows (
	id INTEGER NOT NULL, 
	series_id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	node_id VARCHAR(32) NOT NULL, 
	seq BIGINT NOT NULL, 
	generation INTEGER NOT NULL, 
	world_size INTEGER NOT NULL, 
	iteration BIGINT, 
	iterations BIGINT NOT NULL, 
	elapsed_s FLOAT NOT NULL, 
	is_cold BOOLEAN NOT NULL, 
	ended_at_s FLOAT NOT NULL, 
	CONSTRAINT pk_windows PRIMARY KEY (id), 
	CONSTRAINT fk_windows_series_id FOREIGN KEY(series_id) REFERENCES series (id), 
	CONSTRAINT uq_windows_node_id_seq UNIQUE (node_id, seq)
);
INSERT INTO "windows" VALUES(1,1,'job-5fa297df','node-4df19a29',1,1,2,4,4,0.5,1,1700000040.0);
INSERT INTO "windows" VALUES(2,1,'job-5fa297df','node-4df19a29',2,1,2,8,4,0.5,0,1700000040.5);
INSERT INTO "windows" VALUES(3,1,'job-5fa297df','node-4df19a29',3,1,2,12,4,0.5,0,1700000041.0);
INSERT INTO "windows" VALUES(4,1,'job-5fa297df','node-4df19a29',4,1,2,16,4,0.5,0,1700000041.5);
INSERT INTO "windows" VALUES(5,1,'job-5fa297df','node-4df19a29',5,1,2,20,4,0.5,0,1700000042.0);
INSERT INTO "windows" VALUES(6,1,'job-5fa297df','node-4df19a29',6,1,2,24,4,0.5,0,1700000042.5);
INSERT INTO "windows" VALUES(7,1,'job-5fa297df','node-4df19a29',7,1,2,28,4,0.5,0,1700000043.0);
INSERT INTO "windows" VALUES(8,1,'job-5fa297df','node-4df19a29',8,1,2,32,4,0.5,0,1700000043.5);
INSERT INTO "windows" VALUES(9,1,'job-5fa297df','node-4df19a29',9,1,2,36,4,0.5,0,1700000044.0);
INSERT INTO "windows" VALUES(10,1,'job-5fa297df','node-4df19a29',10,1,2,40,4,0.5,0,1700000044.5);
INSERT INTO "windows" VALUES(11,1,'job-5fa297df','node-4df19a29',11,1,2,44,4,0.5,0,1700000045.0);
INSERT INTO "windows" VALUES(12,1,'job-5fa297df','node-4df19a29',12,1,2,48,4,0.5,0,1700000045.5);
INSERT INTO "windows" VALUES(13,1,'job-5fa297df','node-4df19a29',13,1,2,52,4,0.5,0,1700000046.0);
INSERT INTO "windows" VALUES(14,1,'job-5fa297df','node-4df19a29',14,1,2,56,4,0.5,0,1700000046.5);
INSERT INTO "windows" VALUES(15,1,'job-5fa297df','node-4df19a29',15,1,2,60,4,0.5,0,1700000047.0);
INSERT INTO "windows" VALUES(16,1,'job-5fa297df','node-4df19a29',16,1,2,64,4,0.5,0,1700000047.5);
INSERT INTO "windows" VALUES(17,1,'job-5fa297df','node-4df19a29',17,1,2,68,4,0.5,0,1700000048.0);
INSERT INTO "windows" VALUES(18,1,'job-5fa297df','node-4df19a29',18,1,2,72,4,0.5,0,1700000048.5);
INSERT INTO "windows" VALUES(19,1,'job-5fa297df','node-4df19a29',19,1,2,76,4,0.5,0,1700000049.0);
INSERT INTO "windows" VALUES(20,1,'job-5fa297df','node-4df19a29',20,1,2,80,4,0.5,0,1700000049.5);
INSERT INTO "windows" VALUES(21,1,'job-5fa297df','node-4df19a29',21,1,2,84,4,0.5,0,1700000050.0);
INSERT INTO "windows" VALUES(22,1,'job-5fa297df','node-4df19a29',22,1,2,88,4,0.5,0,1700000050.5);
INSERT INTO "windows" VALUES(23,1,'job-5fa297df','node-4df19a29',23,1,2,92,4,0.5,0,1700000051.0);
INSERT INTO "windows" VALUES(24,1,'job-5fa297df','node-4df19a29',24,1,2,96,4,0.5,0,1700000051.5);
INSERT INTO "windows" VALUES(25,1,'job-5fa297df','node-4df19a29',25,1,2,100,4,0.5,0,1700000052.0);
INSERT INTO "windows" VALUES(26,1,'job-5fa297df','node-4df19a29',26,1,2,104,4,0.5,0,1700000052.5);
INSERT INTO "windows" VALUES(27,1,'job-5fa297df','node-4df19a29',27,1,2,108,4,0.5,0,1700000053.0);
INSERT INTO "windows" VALUES(28,1,'job-5fa297df','node-4df19a29',28,1,2,112,4,0.5,0,1700000053.5);
INSERT INTO "windows" VALUES(29,1,'job-5fa297df','node-4df19a29',29,1,2,116,4,0.5,0,1700000054.0);
INSERT INTO "windows" VALUES(30,1,'job-5fa297df','node-4df19a29',30,1,2,120,4,0.5,0,1700000054.5);
INSERT INTO "windows" VALUES(31,1,'job-5fa297df','node-4df19a29',31,1,2,124,4,0.5,0,1700000055.0);
INSERT INTO "windows" VALUES(32,1,'job-5fa297df','node-4df19a29',32,1,2,128,4,0.5,0,1700000055.5);
INSERT INTO "windows" VALUES(33,1,'job-5fa297df','node-4df19a29',33,1,2,132,4,0.5,0,1700000056.0);
INSERT INTO "windows" VALUES(34,1,'job-5fa297df','node-4df19a29',34,1,2,136,4,0.5,0,1700000056.5);
INSERT INTO "windows" VALUES(35,1,'job-5fa297df','node-4df19a29',35,1,2,140,4,0.5,0,1700000057.0);
INSERT INTO "windows" VALUES(36,1,'job-5fa297df','node-4df19a29',36,1,2,144,4,0.5,0,1700000057.5);
INSERT INTO "windows" VALUES(37,1,'job-5fa297df','node-4df19a29',37,1,2,148,4,0.5,0,1700000058.0);
INSERT INTO "windows" VALUES(38,1,'job-5fa297df','node-4df19a29',38,1,2,152,4,0.5,0,1700000058.5);
INSERT INTO "windows" VALUES(39,1,'job-5fa297df','node-4df19a29',39,1,2,156,4,0.5,0,1700000059.0);
INSERT INTO "windows" VALUES(40,1,'job-5fa297df','node-4df19a29',40,1,2,160,4,0.5,0,1700000059.5);
INSERT INTO "windows" VALUES(41,1,'job-5fa297df','node-4df19a29',41,1,2,164,4,0.5,0,1700000060.0);
INSERT INTO "windows" VALUES(42,1,'job-5fa297df','node-4df19a29',42,1,2,168,4,0.5,0,1700000060.5);
INSERT INTO "windows" VALUES(43,1,'job-5fa297df','node-4df19a29',43,1,2,172,4,0.5,0,1700000061.0);
INSERT INTO "windows" VALUES(44,1,'job-5fa297df','node-4df19a29',44,1,2,176,4,0.5,0,1700000061.5);
INSERT INTO "windows" VALUES(45,1,'job-5fa297df','node-4df19a29',45,1,2,180,4,0.5,0,1700000062.0);
INSERT INTO "windows" VALUES(46,1,'job-5fa297df','node-4df19a29',46,1,2,184,4,0.5,0,1700000062.5);
INSERT INTO "windows" VALUES(47,1,'job-5fa297df','node-4df19a29',47,1,2,188,4,0.5,0,1700000063.0);
INSERT INTO "windows" VALUES(48,1,'job-5fa297df','node-4df19a29',48,1,2,192,4,0.5,0,1700000063.5);
INSERT INTO "windows" VALUES(49,1,'job-5fa297df','node-4df19a29',49,1,2,196,4,0.5,0,1700000064.0);
INSERT INTO "windows" VALUES(50,1,'job-5fa297df','node-4df19a29',50,1,2,200,4,0.5,0,1700000064.5);
INSERT INTO "windows" VALUES(51,1,'job-5fa297df','node-4df19a29',51,1,2,204,4,0.5,0,1700000065.0);
INSERT INTO "windows" VALUES(52,1,'job-5fa297df','node-4df19a29',52,1,2,208,4,0.5,0,1700000065.5);
INSERT INTO "windows" VALUES(53,1,'job-5fa297df','node-4df19a29',53,1,2,212,4,0.5,0,1700000066.0);
INSERT INTO "windows" VALUES(54,1,'job-5fa297df','node-4df19a29',54,1,2,216,4,0.5,0,1700000066.5);
INSERT INTO "windows" VALUES(55,1,'job-5fa297df','node-4df19a29',55,1,2,220,4,0.5,0,1700000067.0);
INSERT INTO "windows" VALUES(56,1,'job-5fa297df','node-4df19a29',56,1,2,224,4,0.5,0,1700000067.5);
INSERT INTO "windows" VALUES(57,1,'job-5fa297df','node-4df19a29',57,1,2,228,4,0.5,0,1700000068.0);
INSERT INTO "windows" VALUES(58,1,'job-5fa297df','node-4df19a29',58,1,2,232,4,0.5,0,1700000068.5);
INSERT INTO "windows" VALUES(59,1,'job-5fa297df','node-4df19a29',59,1,2,236,4,0.5,0,1700000069.0);
INSERT INTO "windows" VALUES(60,1,'job-5fa297df','node-4df19a29',60,1,2,240,4,0.5,0,1700000069.5);
INSERT INTO "windows" VALUES(61,1,'job-5fa297df','node-4df19a29',61,1,2,244,4,0.5,0,1700000070.0);
INSERT INTO "windows" VALUES(62,1,'job-5fa297df','node-4df19a29',62,1,2,248,4,0.5,0,1700000070.5);
INSERT INTO "windows" VALUES(63,1,'job-5fa297df','node-4df19a29',63,1,2,252,4,0.5,0,1700000071.0);
INSERT INTO "windows" VALUES(64,1,'job-5fa297df','node-4df19a29',64,1,2,256,4,0.5,0,1700000071.5);
INSERT INTO "windows" VALUES(65,1,'job-5fa297df','node-4df19a29',65,1,2,260,4,0.5,0,1700000072.0);
INSERT INTO "windows" VALUES(66,1,'job-5fa297df','node-4df19a29',66,1,2,264,4,0.5,0,1700000072.5);
INSERT INTO "windows" VALUES(67,1,'job-5fa297df','node-4df19a29',67,1,2,268,4,0.5,0,1700000073.0);
INSERT INTO "windows" VALUES(68,1,'job-5fa297df','node-4df19a29',68,1,2,272,4,0.5,0,1700000073.5);
INSERT INTO "windows" VALUES(69,1,'job-5fa297df','node-4df19a29',69,1,2,276,4,0.5,0,1700000074.0);
INSERT INTO "windows" VALUES(70,1,'job-5fa297df','node-4df19a29',70,1,2,280,4,0.5,0,1700000074.5);
INSERT INTO "windows" VALUES(71,1,'job-5fa297df','node-4df19a29',71,1,2,284,4,0.5,0,1700000075.0);
INSERT INTO "windows" VALUES(72,1,'job-5fa297df','node-4df19a29',72,1,2,288,4,0.5,0,1700000075.5);
INSERT INTO "windows" VALUES(73,1,'job-5fa297df','node-4df19a29',73,1,2,292,4,0.5,0,1700000076.0);
INSERT INTO "windows" VALUES(74,1,'job-5fa297df','node-4df19a29',74,1,2,296,4,0.5,0,1700000076.5);
INSERT INTO "windows" VALUES(75,1,'job-5fa297df','node-4df19a29',75,1,2,300,4,0.5,0,1700000077.0);
INSERT INTO "windows" VALUES(76,1,'job-5fa297df','node-4df19a29',76,1,2,304,4,0.5,0,1700000077.5);
INSERT INTO "windows" VALUES(77,1,'job-5fa297df','node-4df19a29',77,1,2,308,4,0.5,0,1700000078.0);
INSERT INTO "windows" VALUES(78,1,'job-5fa297df','node-4df19a29',78,1,2,312,4,0.5,0,1700000078.5);
INSERT INTO "windows" VALUES(79,1,'job-5fa297df','node-4df19a29',79,1,2,316,4,0.5,0,1700000079.0);
INSERT INTO "windows" VALUES(80,1,'job-5fa297df','node-4df19a29',80,1,2,320,4,0.5,0,1700000079.5);
INSERT INTO "windows" VALUES(81,1,'job-5fa297df','node-4df19a29',81,1,2,324,4,0.5,0,1700000080.0);
INSERT INTO "windows" VALUES(82,1,'job-5fa297df','node-4df19a29',82,1,2,328,4,0.5,0,1700000080.5);
INSERT INTO "windows" VALUES(83,1,'job-5fa297df','node-4df19a29',83,1,2,332,4,0.5,0,1700000081.0);
INSERT INTO "windows" VALUES(84,1,'job-5fa297df','node-4df19a29',84,1,2,336,4,0.5,0,1700000081.5);
INSERT INTO "windows" VALUES(85,1,'job-5fa297df','node-4df19a29',85,1,2,340,4,0.5,0,1700000082.0);
INSERT INTO "windows" VALUES(86,1,'job-5fa297df','node-4df19a29',86,1,2,344,4,0.5,0,1700000082.5);
INSERT INTO "windows" VALUES(87,1,'job-5fa297df','node-4df19a29',87,1,2,348,4,0.5,0,1700000083.0);
INSERT INTO "windows" VALUES(88,1,'job-5fa297df','node-4df19a29',88,1,2,352,4,0.5,0,1700000083.5);
INSERT INTO "windows" VALUES(89,1,'job-5fa297df','node-4df19a29',89,1,2,356,4,0.5,0,1700000084.0);
INSERT INTO "windows" VALUES(90,1,'job-5fa297df','node-4df19a29',90,1,2,360,4,0.5,0,1700000084.5);
INSERT INTO "windows" VALUES(91,1,'job-5fa297df','node-4df19a29',91,1,2,364,4,0.5,0,1700000085.0);
INSERT INTO "windows" VALUES(92,1,'job-5fa297df','node-4df19a29',92,1,2,368,4,0.5,0,1700000085.5);
INSERT INTO "windows" VALUES(93,1,'job-5fa297df','node-4df19a29',93,1,2,372,4,0.5,0,1700000086.0);
INSERT INTO "windows" VALUES(94,1,'job-5fa297df','node-4df19a29',94,1,2,376,4,0.5,0,1700000086.5);
INSERT INTO "windows" VALUES(95,1,'job-5fa297df','node-4df19a29',95,1,2,380,4,0.5,0,1700000087.0);
INSERT INTO "windows" VALUES(96,1,'job-5fa297df','node-4df19a29',96,1,2,384,4,0.5,0,1700000087.5);
INSERT INTO "windows" VALUES(97,1,'job-5fa297df','node-4df19a29',97,1,2,388,4,0.5,0,1700000088.0);
INSERT INTO "windows" VALUES(98,1,'job-5fa297df','node-4df19a29',98,1,2,392,4,0.5,0,1700000088.5);
INSERT INTO "windows" VALUES(99,1,'job-5fa297df','node-4df19a29',99,1,2,396,4,0.5,0,1700000089.0);
INSERT INTO "windows" VALUES(100,1,'job-5fa297df','node-4df19a29',100,1,2,400,4,0.5,0,1700000089.5);
INSERT INTO "windows" VALUES(101,2,'job-21846b6e','node-1f2220ce',1,1,2,4,4,0.5,1,1700000040.0);
INSERT INTO "windows" VALUES(102,2,'job-21846b6e','node-1f2220ce',2,1,2,8,4,0.5,0,1700000040.5);
INSERT INTO "windows" VALUES(103,2,'job-21846b6e','node-1f2220ce',3,1,2,12,4,0.5,0,1700000041.0);
INSERT INTO "windows" VALUES(104,2,'job-21846b6e','node-1f2220ce',4,1,2,16,4,0.5,0,1700000041.5);
INSERT INTO "windows" VALUES(105,2,'job-21846b6e','node-1f2220ce',5,1,2,20,4,0.5,0,1700000042.0);
INSERT INTO "windows" VALUES(106,2,'job-21846b6e','node-1f2220ce',6,1,2,24,4,0.5,0,1700000042.5);
INSERT INTO "windows" VALUES(107,2,'job-21846b6e','node-1f2220ce',7,1,2,28,4,0.5,0,1700000043.0);
INSERT INTO "windows" VALUES(108,2,'job-21846b6e','node-1f2220ce',8,1,2,32,4,0.5,0,1700000043.5);
INSERT INTO "windows" VALUES(109,2,'job-21846b6e','node-1f2220ce',9,1,2,36,4,0.5,0,1700000044.0);
INSERT INTO "windows" VALUES(110,2,'job-21846b6e','node-1f2220ce',10,1,2,40,4,0.5,0,1700000044.5);
INSERT INTO "windows" VALUES(111,2,'job-21846b6e','node-1f2220ce',11,1,2,44,4,0.5,0,1700000045.0);
INSERT INTO "windows" VALUES(112,2,'job-21846b6e','node-1f2220ce',12,1,2,48,4,0.5,0,1700000045.5);
INSERT INTO "windows" VALUES(113,2,'job-21846b6e','node-1f2220ce',13,1,2,52,4,0.5,0,1700000046.0);
INSERT INTO "windows" VALUES(114,2,'job-21846b6e','node-1f2220ce',14,1,2,56,4,0.5,0,1700000046.5);
INSERT INTO "windows" VALUES(115,2,'job-21846b6e','node-1f2220ce',15,1,2,60,4,0.5,0,1700000047.0);
INSERT INTO "windows" VALUES(116,2,'job-21846b6e','node-1f2220ce',16,1,2,64,4,0.5,0,1700000047.5);
INSERT INTO "windows" VALUES(117,2,'job-21846b6e','node-1f2220ce',17,1,2,68,4,0.5,0,1700000048.0);
INSERT INTO "windows" VALUES(118,2,'job-21846b6e','node-1f2220ce',18,1,2,72,4,0.5,0,1700000048.5);
INSERT INTO "windows" VALUES(119,2,'job-21846b6e','node-1f2220ce',19,1,2,76,4,0.5,0,1700000049.0);
INSERT INTO "windows" VALUES(120,2,'job-21846b6e','node-1f2220ce',20,1,2,80,4,0.5,0,1700000049.5);
INSERT INTO "windows" VALUES(121,2,'job-21846b6e','node-1f2220ce',21,1,2,84,4,0.5,0,1700000050.0);
INSERT INTO "windows" VALUES(122,2,'job-21846b6e','node-1f2220ce',22,1,2,88,4,0.5,0,1700000050.5);
INSERT INTO "windows" VALUES(123,2,'job-21846b6e','node-1f2220ce',23,1,2,92,4,0.5,0,1700000051.0);
INSERT INTO "windows" VALUES(124,2,'job-21846b6e','node-1f2220ce',24,1,2,96,4,0.5,0,1700000051.5);
INSERT INTO "windows" VALUES(125,2,'job-21846b6e','node-1f2220ce',25,1,2,100,4,0.5,0,1700000052.0);
INSERT INTO "windows" VALUES(126,2,'job-21846b6e','node-1f2220ce',26,1,2,104,4,0.5,0,1700000052.5);
INSERT INTO "windows" VALUES(127,2,'job-21846b6e','node-1f2220ce',27,1,2,108,4,0.5,0,1700000053.0);
INSERT INTO "windows" VALUES(128,2,'job-21846b6e','node-1f2220ce',28,1,2,112,4,0.5,0,1700000053.5);
INSERT INTO "windows" VALUES(129,2,'job-21846b6e','node-1f2220ce',29,1,2,116,4,0.5,0,1700000054.0);
INSERT INTO "windows" VALUES(130,2,'job-21846b6e','node-1f2220ce',30,1,2,120,4,0.5,0,1700000054.5);
INSERT INTO "windows" VALUES(131,2,'job-21846b6e','node-1f2220ce',31,1,2,124,4,0.5,0,1700000055.0);
INSERT INTO "windows" VALUES(132,2,'job-21846b6e','node-1f2220ce',32,1,2,128,4,0.5,0,1700000055.5);
INSERT INTO "windows" VALUES(133,2,'job-21846b6e','node-1f2220ce',33,1,2,132,4,0.5,0,1700000056.0);
INSERT INTO "windows" VALUES(134,2,'job-21846b6e','node-1f2220ce',34,1,2,136,4,0.5,0,1700000056.5);
INSERT INTO "windows" VALUES(135,2,'job-21846b6e','node-1f2220ce',35,1,2,140,4,0.5,0,1700000057.0);
INSERT INTO "windows" VALUES(136,2,'job-21846b6e','node-1f2220ce',36,1,2,144,4,0.5,0,1700000057.5);
INSERT INTO "windows" VALUES(137,2,'job-21846b6e','node-1f2220ce',37,1,2,148,4,0.5,0,1700000058.0);
INSERT INTO "windows" VALUES(138,2,'job-21846b6e','node-1f2220ce',38,1,2,152,4,0.5,0,1700000058.5);
INSERT INTO "windows" VALUES(139,2,'job-21846b6e','node-1f2220ce',39,1,2,156,4,0.5,0,1700000059.0);
INSERT INTO "windows" VALUES(140,2,'job-21846b6e','node-1f2220ce',40,1,2,160,4,0.5,0,1700000059.5);
INSERT INTO "windows" VALUES(141,2,'job-21846b6e','node-1f2220ce',41,1,2,164,4,0.5,0,1700000060.0);
INSERT INTO "windows" VALUES(142,2,'job-21846b6e','node-1f2220ce',42,1,2,168,4,0.5,0,1700000060.5);
INSERT INTO "windows" VALUES(143,2,'job-21846b6e','node-1f2220ce',43,1,2,172,4,0.5,0,1700000061.0);
INSERT INTO "windows" VALUES(144,2,'job-21846b6e','node-1f2220ce',44,1,2,176,4,0.5,0,1700000061.5);
INSERT INTO "windows" VALUES(145,2,'job-21846b6e','node-1f2220ce',45,1,2,180,4,0.5,0,1700000062.0);
INSERT INTO "windows" VALUES(146,2,'job-21846b6e','node-1f2220ce',46,1,2,184,4,0.5,0,1700000062.5);
INSERT INTO "windows" VALUES(147,2,'job-21846b6e','node-1f2220ce',47,1,2,188,4,0.5,0,1700000063.0);
INSERT INTO "windows" VALUES(148,2,'job-21846b6e','node-1f2220ce',48,1,2,192,4,0.5,0,1700000063.5);
INSERT INTO "windows" VALUES(149,2,'job-21846b6e','node-1f2220ce',49,1,2,196,4,0.5,0,1700000064.0);
INSERT INTO "windows" VALUES(150,2,'job-21846b6e','node-1f2220ce',50,1,2,200,4,0.5,0,1700000064.5);
INSERT INTO "windows" VALUES(151,2,'job-21846b6e','node-1f2220ce',51,1,2,204,4,0.5,0,1700000065.0);
INSERT INTO "windows" VALUES(152,2,'job-21846b6e','node-1f2220ce',52,1,2,208,4,0.5,0,1700000065.5);
INSERT INTO "windows" VALUES(153,2,'job-21846b6e','node-1f2220ce',53,1,2,212,4,0.5,0,1700000066.0);
INSERT INTO "windows" VALUES(154,2,'job-21846b6e','node-1f2220ce',54,1,2,216,4,0.5,0,1700000066.5);
INSERT INTO "windows" VALUES(155,2,'job-21846b6e','node-1f2220ce',55,1,2,220,4,0.5,0,1700000067.0);
INSERT INTO "windows" VALUES(156,2,'job-21846b6e','node-1f2220ce',56,1,2,224,4,0.5,0,1700000067.5);
INSERT INTO "windows" VALUES(157,2,'job-21846b6e','node-1f2220ce',57,1,2,228,4,0.5,0,1700000068.0);
INSERT INTO "windows" VALUES(158,2,'job-21846b6e','node-1f2220ce',58,1,2,232,4,0.5,0,1700000068.5);
INSERT INTO "windows" VALUES(159,2,'job-21846b6e','node-1f2220ce',59,1,2,236,4,0.5,0,1700000069.0);
INSERT INTO "windows" VALUES(160,2,'job-21846b6e','node-1f2220ce',60,1,2,240,4,0.5,0,1700000069.5);
INSERT INTO "windows" VALUES(161,2,'job-21846b6e','node-1f2220ce',61,1,2,244,4,0.5,0,1700000070.0);
INSERT INTO "windows" VALUES(162,2,'job-21846b6e','node-1f2220ce',62,1,2,248,4,0.5,0,1700000070.5);
INSERT INTO "windows" VALUES(163,2,'job-21846b6e','node-1f2220ce',63,1,2,252,4,0.5,0,1700000071.0);
INSERT INTO "windows" VALUES(164,2,'job-21846b6e','node-1f2220ce',64,1,2,256,4,0.5,0,1700000071.5);
INSERT INTO "windows" VALUES(165,2,'job-21846b6e','node-1f2220ce',65,1,2,260,4,0.5,0,1700000072.0);
INSERT INTO "windows" VALUES(166,2,'job-21846b6e','node-1f2220ce',66,1,2,264,4,0.5,0,1700000072.5);
INSERT INTO "windows" VALUES(167,2,'job-21846b6e','node-1f2220ce',67,1,2,268,4,0.5,0,1700000073.0);
INSERT INTO "windows" VALUES(168,2,'job-21846b6e','node-1f2220ce',68,1,2,272,4,0.5,0,1700000073.5);
INSERT INTO "windows" VALUES(169,2,'job-21846b6e','node-1f2220ce',69,1,2,276,4,0.5,0,1700000074.0);
INSERT INTO "windows" VALUES(170,2,'job-21846b6e','node-1f2220ce',70,1,2,280,4,0.5,0,1700000074.5);
INSERT INTO "windows" VALUES(171,2,'job-21846b6e','node-1f2220ce',71,1,2,284,4,0.5,0,1700000075.0);
INSERT INTO "windows" VALUES(172,2,'job-21846b6e','node-1f2220ce',72,1,2,288,4,0.5,0,1700000075.5);
INSERT INTO "windows" VALUES(173,2,'job-21846b6e','node-1f2220ce',73,1,2,292,4,0.5,0,1700000076.0);
INSERT INTO "windows" VALUES(174,2,'job-21846b6e','node-1f2220ce',74,1,2,296,4,0.5,0,1700000076.5);
INSERT INTO "windows" VALUES(175,2,'job-21846b6e','node-1f2220ce',75,1,2,300,4,0.5,0,1700000077.0);
INSERT INTO "windows" VALUES(176,2,'job-21846b6e','node-1f2220ce',76,1,2,304,4,0.5,0,1700000077.5);
INSERT INTO "windows" VALUES(177,2,'job-21846b6e','node-1f2220ce',77,1,2,308,4,0.5,0,1700000078.0);
INSERT INTO "windows" VALUES(178,2,'job-21846b6e','node-1f2220ce',78,1,2,312,4,0.5,0,1700000078.5);
INSERT INTO "windows" VALUES(179,2,'job-21846b6e','node-1f2220ce',79,1,2,316,4,0.5,0,1700000079.0);
INSERT INTO "windows" VALUES(180,2,'job-21846b6e','node-1f2220ce',80,1,2,320,4,0.5,0,1700000079.5);
INSERT INTO "windows" VALUES(181,2,'job-21846b6e','node-1f2220ce',81,1,2,324,4,0.5,0,1700000080.0);
INSERT INTO "windows" VALUES(182,2,'job-21846b6e','node-1f2220ce',82,1,2,328,4,0.5,0,1700000080.5);
INSERT INTO "windows" VALUES(183,2,'job-21846b6e','node-1f2220ce',83,1,2,332,4,0.5,0,1700000081.0);
INSERT INTO "windows" VALUES(184,2,'job-21846b6e','node-1f2220ce',84,1,2,336,4,0.5,0,1700000081.5);
INSERT INTO "windows" VALUES(185,2,'job-21846b6e','node-1f2220ce',85,1,2,340,4,0.5,0,1700000082.0);
INSERT INTO "windows" VALUES(186,2,'job-21846b6e','node-1f2220ce',86,1,2,344,4,0.5,0,1700000082.5);
INSERT INTO "windows" VALUES(187,2,'job-21846b6e','node-1f2220ce',87,1,2,348,4,0.5,0,1700000083.0);
INSERT INTO "windows" VALUES(188,2,'job-21846b6e','node-1f2220ce',88,1,2,352,4,0.5,0,1700000083.5);
INSERT INTO "windows" VALUES(189,2,'job-21846b6e','node-1f2220ce',89,1,2,356,4,0.5,0,1700000084.0);
INSERT INTO "windows" VALUES(190,2,'job-21846b6e','node-1f2220ce',90,1,2,360,4,0.5,0,1700000084.5);
INSERT INTO "windows" VALUES(191,2,'job-21846b6e','node-1f2220ce',91,1,2,364,4,0.5,0,1700000085.0);
INSERT INTO "windows" VALUES(192,2,'job-21846b6e','node-1f2220ce',92,1,2,368,4,0.5,0,1700000085.5);
INSERT INTO "windows" VALUES(193,2,'job-21846b6e','node-1f2220ce',93,1,2,372,4,0.5,0,1700000086.0);
INSERT INTO "windows" VALUES(194,2,'job-21846b6e','node-1f2220ce',94,1,2,376,4,0.5,0,1700000086.5);
INSERT INTO "windows" VALUES(195,2,'job-21846b6e','node-1f2220ce',95,1,2,380,4,0.5,0,1700000087.0);
INSERT INTO "windows" VALUES(196,2,'job-21846b6e','node-1f2220ce',96,1,2,384,4,0.5,0,1700000087.5);
INSERT INTO "windows" VALUES(197,2,'job-21846b6e','node-1f2220ce',97,1,2,388,4,0.5,0,1700000088.0);
INSERT INTO "windows" VALUES(198,2,'job-21846b6e','node-1f2220ce',98,1,2,392,4,0.5,0,1700000088.5);
INSERT INTO "windows" VALUES(199,2,'job-21846b6e','node-1f2220ce',99,1,2,396,4,0.5,0,1700000089.0);
INSERT INTO "windows" VALUES(200,2,'job-21846b6e','node-1f2220ce',100,1,2,400,4,0.5,0,1700000089.5);
CREATE INDEX ix_events_job_id ON events (job_id);
CREATE INDEX ix_events_kind ON events (kind);
CREATE INDEX ix_intents_node_id ON intents (node_id);
CREATE INDEX ix_prices_node_type_capacity_zone_valid_from_s ON prices (node_type, capacity, zone, valid_from_s);
CREATE INDEX ix_decisions_action ON decisions (action);
CREATE INDEX ix_decisions_job_id_action_id ON decisions (job_id, action, id);
CREATE INDEX ix_decisions_job_id_id ON decisions (job_id, id);
CREATE INDEX ix_ledger_job_id ON ledger (job_id);
CREATE INDEX ix_ledger_node_id ON ledger (node_id);
CREATE INDEX ix_windows_job_id_id ON windows (job_id, id);
CREATE INDEX ix_windows_series_id_is_cold_id ON windows (series_id, is_cold, id);
CREATE INDEX ix_nodes_job_id ON nodes (job_id);
CREATE INDEX ix_nodes_token ON nodes (token);
CREATE INDEX ix_nodes_phase ON nodes (phase);
CREATE INDEX ix_jobs_name ON jobs (name);
CREATE INDEX ix_jobs_phase ON jobs (phase);
CREATE INDEX ix_losses_job_id ON losses (job_id);
CREATE INDEX ix_alarms_over_at_s ON alarms (over_at_s);
COMMIT;
